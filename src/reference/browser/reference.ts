import { showAccount } from "./account.ts";
import { applyLanguage, completeFigures } from "./figures.ts";
import { highlight } from "./highlight.ts";
import { initializeNavigation } from "./navigation.ts";
import { enableTrying } from "./try/try-it.ts";

/** Enhances the HTML page, which is complete without a script, in small steps, so that it stays responsive. */
const steps = [
  enableTrying,
  applyTheme,
  applyLanguage,
  showOrigin,
  showAccount,
  initializeNavigation,
  completeSections,
];
for (const step of steps) {
  step();
  await new Promise((resolve) => setTimeout(resolve));
}

/** Applies the theme chosen in the console. */
function applyTheme(): void {
  const theme = localStorage.getItem("animal-store-theme");
  if (theme) document.documentElement.dataset["theme"] = theme;
}

function showOrigin(): void {
  for (const place of document.querySelectorAll(".origin")) place.textContent = location.origin;
}

/** Completes each section when it comes close to the visible area, since most sections are never seen. */
function completeSections(): void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        completeFigures(target);
        for (const code of target.querySelectorAll<HTMLElement>("code[data-language]")) highlight(code);
      }
    },
    { rootMargin: "800px 0px" },
  );
  for (const part of document.querySelectorAll("main :is(.introduction, .operation, .component)"))
    observer.observe(part);
}
