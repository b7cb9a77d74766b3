import { showAccount } from "./account.ts";
import { completeFigures } from "./figures.ts";
import { highlight } from "./highlight.ts";
import { showLanguage } from "./language.ts";
import { makeNavigation } from "./navigation.ts";
import { whenNear } from "./near.ts";
import { applyTheme } from "./theme.ts";
import { offerTrying } from "./try/try-it.ts";

/**
 * What makes the reference more than a text: everything here adds to a page that is complete without it. It is done in small
 * steps, so that whoever reads already is not held up.
 */
const steps = [offerTrying, applyTheme, showLanguage, showOrigin, showAccount, makeNavigation, completeSections];
for (const step of steps) {
  step();
  await new Promise((resolve) => setTimeout(resolve));
}

function showOrigin(): void {
  for (const place of document.querySelectorAll(".origin")) place.textContent = location.origin;
}

function completeSections(): void {
  whenNear("main .introduction, main .operation, main .component", (section) => {
    completeFigures(section);
    for (const code of section.querySelectorAll<HTMLElement>("code[data-language]")) highlight(code);
  });
}
