import { existsSync, statfsSync } from "node:fs";
import type { LaunchOptions } from "playwright-core";

/** Turned off by Playwright, of which the last argument that turns anything off would leave nothing. */
const offForAutomation = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "TcpPortRandomizationWin",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  "msForceBrowserSignIn",
  "msEdgeUpdateLaunchServicesPreferredVersion",
];

/**
 * The suggestions below the address bar, which nobody sees here. They are two pages of their own, loaded for each window, and took
 * four tenths of the time that the tests gave to the browser.
 */
const offForSpeed = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"];

/** Where the browser's processes share memory, unless they are told to do so in files on the disk. */
const sharedMemory = "/dev/shm";
/** Containers often have so little of it that the browser crashes, which is why Playwright has it use files. */
const enoughSharedMemory = 2 ** 30;

/** How the browser of the tests is started, besides what Playwright gives it. */
export function browserArguments(sharedMemoryLeft = bytesLeftIn(sharedMemory)): LaunchOptions {
  return {
    args: [`--disable-features=${[...offForAutomation, ...offForSpeed].join(",")}`],
    // The files took a tenth of the time that the tests gave to the browser.
    ...(sharedMemoryLeft >= enoughSharedMemory && { ignoreDefaultArgs: ["--disable-dev-shm-usage"] }),
  };
}

function bytesLeftIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
