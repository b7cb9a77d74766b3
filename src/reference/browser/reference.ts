import { showAccount } from "./account.ts";
import { applyLanguage, completeFigures } from "./figures.ts";
import { highlight } from "./highlight.ts";
import { initializeNavigation } from "./navigation.ts";
import { enableTryIt } from "./try/try-it.ts";

// Applies the theme that the user has chosen in the console.
const theme = localStorage.getItem("animal-store-theme");
if (theme) document.documentElement.dataset["theme"] = theme;
for (const placeholder of document.querySelectorAll(".origin")) placeholder.replaceWith(location.origin);
enableTryIt();
applyLanguage();
showAccount();
initializeNavigation();
completeSections();

/** Completes a section only when it comes close to the visible area, since most sections are never seen. */
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
