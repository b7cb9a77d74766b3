import { button } from "./element.ts";
import { languageChoice } from "./language.ts";

/** Gives the code in a section what needs a script: a choice of languages, and buttons that copy it. */
export function completeFigures(section: HTMLElement): void {
  for (const samples of section.querySelectorAll<HTMLElement>(".samples")) samples.prepend(languageChoice(samples));
  for (const figure of section.querySelectorAll<HTMLElement>("figure.code")) {
    const code = figure.querySelector("code");
    if (code) figure.append(copyButton(() => code.textContent ?? ""));
  }
}

export function copyButton(text: () => string, label = "Copy"): HTMLButtonElement {
  const made = button(label, { class: "copy" }, async () => {
    try {
      await navigator.clipboard.writeText(text());
      made.textContent = "Copied";
    } catch {
      // Browsers give the clipboard only to pages that came over HTTPS or from this machine.
      made.textContent = "Cannot copy";
    }
    setTimeout(() => {
      made.textContent = label;
    }, shownMs);
  });
  made.setAttribute("aria-live", "polite");
  return made;
}

const shownMs = 2_000;
