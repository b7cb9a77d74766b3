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

/**
 * Memory for hardly more than a corner of a page, so that the rest is laid out but not painted: nobody looks at it, and it took a
 * tenth of the time that the tests gave to the browser.
 */
const withoutPainting = "--force-gpu-mem-available-mb=1";

/** What the browser of the tests is started with, besides what Playwright gives it. */
export const browserArguments = [
  `--disable-features=${[...offForAutomation, ...offForSpeed].join(",")}`,
  withoutPainting,
];
