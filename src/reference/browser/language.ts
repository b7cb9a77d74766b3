import { button, element } from "./element.ts";

/** The language that somebody reads samples in is kept on the device, because it is the same for all operations. */
const place = "animal-store-samples";

export function showLanguage(): void {
  document.documentElement.dataset["language"] = localStorage.getItem(place) ?? "curl";
}

/** The languages of one request, of which one is shown. */
export function languageChoice(samples: HTMLElement): HTMLElement {
  const choice = element("div", { class: "tabs", role: "group", "aria-label": "Language" });
  for (const code of samples.querySelectorAll<HTMLElement>("code[data-language]")) {
    const { language = "" } = code.dataset;
    const title = code.closest("figure")?.querySelector("figcaption")?.textContent ?? language;
    choice.append(button(title, { "data-language": language }, () => choose(language)));
  }
  mark(choice);
  return choice;
}

function choose(language: string): void {
  localStorage.setItem(place, language);
  showLanguage();
  for (const choice of document.querySelectorAll(".tabs")) mark(choice);
}

function mark(choice: Element): void {
  for (const each of choice.querySelectorAll<HTMLElement>("button")) {
    const isChosen = each.dataset["language"] === document.documentElement.dataset["language"];
    each.setAttribute("aria-pressed", String(isChosen));
  }
}
