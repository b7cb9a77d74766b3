import { button, element } from "./element.ts";

/** The chosen language of samples is kept on the device, because it is the same for all operations. */
const storageKey = "animal-store-samples";

export function showLanguage(): void {
  document.documentElement.dataset["language"] = localStorage.getItem(storageKey) ?? "curl";
}

/** Adds the choice of a language and the buttons to copy to the code in a section. */
export function completeFigures(section: Element): void {
  for (const samples of section.querySelectorAll(".samples")) samples.prepend(languageChoice(samples));
  for (const figure of section.querySelectorAll("figure.code")) {
    const code = figure.querySelector("code");
    if (code) figure.append(copyButton(() => code.textContent ?? ""));
  }
}

export function copyButton(text: () => string, label = "Copy"): HTMLButtonElement {
  const copy = button(label, { class: "copy", "aria-live": "polite" }, async () => {
    try {
      await navigator.clipboard.writeText(text());
      copy.textContent = "Copied";
    } catch {
      // Browsers give the clipboard only to pages that came over HTTPS or from this machine.
      copy.textContent = "Cannot copy";
    }
    setTimeout(() => {
      copy.textContent = label;
    }, 2_000);
  });
  return copy;
}

function languageChoice(samples: Element): HTMLElement {
  const choice = element("div", { class: "tabs", role: "group", "aria-label": "Language" });
  for (const code of samples.querySelectorAll<HTMLElement>("code[data-language]")) {
    const { language = "" } = code.dataset;
    const title = code.closest("figure")?.querySelector("figcaption")?.textContent ?? language;
    choice.append(button(title, { "data-language": language }, () => chooseLanguage(language)));
  }
  markChosen(choice);
  return choice;
}

function chooseLanguage(language: string): void {
  localStorage.setItem(storageKey, language);
  showLanguage();
  for (const choice of document.querySelectorAll(".tabs")) markChosen(choice);
}

function markChosen(choice: Element): void {
  for (const each of choice.querySelectorAll<HTMLElement>("button")) {
    const isChosen = each.dataset["language"] === document.documentElement.dataset["language"];
    each.setAttribute("aria-pressed", String(isChosen));
  }
}
