/** What somebody has chosen in the console, which is kept on the device; the style sheets follow it. */
export function applyTheme(): void {
  const theme = localStorage.getItem("animal-store-theme");
  if (theme) document.documentElement.dataset["theme"] = theme;
}
