/** Features that Playwright disables. Browsers obey only the last `--disable-features`, so ours repeats Playwright's features. */
const disabledByPlaywright = `
  AvoidUnnecessaryBeforeUnloadCheckSync DestroyProfileOnBrowserClose HttpsUpgrades HttpsFirstBalancedModeAutoEnable
  LensOverlay MediaRouter PaintHolding ThirdPartyStoragePartitioning AvoidCorsURLLoaderRestartOnRedirect
  TcpPortRandomizationWin OptimizationHints NetworkTimeServiceQuerying AimEnabled PreconnectToSearch
  msForceBrowserSignIn msEdgeUpdateLaunchServicesPreferredVersion
`
  .trim()
  .split(/\s+/);

/** The popups of the address bar load two pages per window, which took 40 % of the browser's CPU time. */
const disabledForSpeed = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"];

export const browserArguments = [
  `--disable-features=${[...disabledByPlaywright, ...disabledForSpeed].join(",")}`,
  // With so little memory, the browser paints only a corner of each page, which saves 10 % of its CPU time.
  "--force-gpu-mem-available-mb=1",
];
