import { createButton, createElement } from "./element.ts";

const storageKey = "animal-store-samples";

export function applyLanguage(): void {
  document.documentElement.dataset["language"] = localStorage.getItem(storageKey) ?? "curl";
}

/** Adds the language tabs and the copy buttons to the code of a section. */
export function completeFigures(section: Element): void {
  for (const samples of section.querySelectorAll(".samples")) samples.prepend(createLanguageTabs(samples));
  for (const figure of section.querySelectorAll("figure.code")) {
    const code = figure.querySelector("code");
    if (code) figure.append(createCopyButton(() => code.textContent ?? ""));
  }
}

export function createCopyButton(text: () => string, label = "Copy"): HTMLButtonElement {
  const copy = createButton(label, { class: "copy", "aria-live": "polite" }, async () => {
    try {
      await navigator.clipboard.writeText(text());
      copy.textContent = "Copied";
    } catch {
      // Browsers allow access to the clipboard only over HTTPS or on localhost.
      copy.textContent = "Cannot copy";
    }
    setTimeout(() => {
      copy.textContent = label;
    }, 2_000);
  });
  return copy;
}

function createLanguageTabs(samples: Element): HTMLElement {
  const tabs = createElement("div", { class: "tabs", role: "group", "aria-label": "Language" });
  for (const code of samples.querySelectorAll<HTMLElement>("code[data-language]")) {
    const { language = "" } = code.dataset;
    const title = code.closest("figure")?.querySelector("figcaption")?.textContent ?? language;
    tabs.append(createButton(title, { "data-language": language }, () => chooseLanguage(language)));
  }
  markChosenTab(tabs);
  return tabs;
}

function chooseLanguage(language: string): void {
  localStorage.setItem(storageKey, language);
  applyLanguage();
  for (const tabs of document.querySelectorAll(".tabs")) markChosenTab(tabs);
}

function markChosenTab(tabs: Element): void {
  for (const each of tabs.querySelectorAll<HTMLElement>("button")) {
    const isChosen = each.dataset["language"] === document.documentElement.dataset["language"];
    each.setAttribute("aria-pressed", String(isChosen));
  }
}
