import { showAccount } from "./account.ts";
import { completeFigures } from "./figures.ts";
import { highlight } from "./highlight.ts";
import { showLanguage } from "./language.ts";
import { makeNavigation } from "./navigation.ts";
import { whenNear } from "./near.ts";
import { offerTrying } from "./try/try-it.ts";

/** What makes the reference more than a text: everything here adds to a page that is complete without it. */
for (const place of document.querySelectorAll(".origin")) place.textContent = location.origin;
showLanguage();
showAccount();
makeNavigation();
offerTrying();
whenNear("main .introduction, main .operation, main .component", (section) => {
  completeFigures(section);
  for (const code of section.querySelectorAll<HTMLElement>("code[data-language]")) highlight(code);
});
