import { showAccount } from "./account.ts";
import { completeFigures, showLanguage } from "./figures.ts";
import { highlight } from "./highlight.ts";
import { makeNavigation } from "./navigation.ts";
import { offerTrying } from "./try/try-it.ts";

/** Adds to a page that is complete without a script, in small steps, so that the page stays responsive. */
const steps = [offerTrying, applyTheme, showLanguage, showOrigin, showAccount, makeNavigation, completeSections];
for (const step of steps) {
  step();
  await new Promise((resolve) => setTimeout(resolve));
}

/** Applies the theme that was chosen in the console; the style sheets follow it. */
function applyTheme(): void {
  const theme = localStorage.getItem("animal-store-theme");
  if (theme) document.documentElement.dataset["theme"] = theme;
}

function showOrigin(): void {
  for (const place of document.querySelectorAll(".origin")) place.textContent = location.origin;
}

/** Completes each section once it comes near the window: most sections are never seen. */
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
