import { createButton, createElement, requireElement } from "../element.ts";
import { basePath } from "../session.ts";

export interface TriedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Builds a form from the section of an operation, and a function that reads the request from the form. */
export function createRequestForm(section: HTMLElement) {
  const { method = "", path: template = "", types = "" } = section.dataset;
  const inputs = [...section.querySelectorAll<HTMLElement>("li[data-in]")].map((field) =>
    createParameterInput(field, section.id),
  );
  const body = section.querySelector(".body") ? createBodyInput(section) : undefined;
  const accepted = types.split(" ");
  const accept = accepted.length > 1 ? createSelect(accepted, { id: `${section.id}-try-accept` }) : undefined;
  const findRows = (isHeader: boolean) =>
    inputs.filter(({ place }) => (place === "header") === isHeader).map(({ row }) => row);
  const acceptRow =
    accept && createElement("div", { class: "row" }, createElement("label", { for: accept.id }, "Accept"), accept);
  const details = createElement("details", {}, createElement("summary", {}, "Headers"), ...findRows(true));
  const form = createElement("form", {}, ...findRows(false), body?.row, acceptRow, details);

  const readRequest = (): TriedRequest => {
    const readValues = (wanted: string) =>
      Object.fromEntries(
        inputs
          .filter(({ place }) => place === wanted)
          .map(({ name, input }) => [name, input.value.trim()])
          .filter(([, value]) => value !== ""),
      );
    const pathValues = readValues("path");
    const query = new URLSearchParams(readValues("query"));
    const path = template.replace(
      /\{(\w+)\}/g,
      (placeholder, name) => encodeURIComponent(pathValues[name] ?? "") || placeholder,
    );
    const content = body?.text.value || undefined;
    return {
      method,
      path: `${basePath}${path}${query.size > 0 ? `?${query}` : ""}`,
      headers: {
        ...(accept && { Accept: accept.value }),
        ...(content && { "Content-Type": body?.type.value ?? "" }),
        ...readValues("header"),
      },
      body: content,
    };
  };
  return { form, readRequest };
}

function createParameterInput(field: HTMLElement, operation: string) {
  const { name = "", in: place = "", type, options, required, default: defaultValue } = field.dataset;
  const attributes = { id: `${operation}-try-${place}-${name}`, required };
  const input = options
    ? createSelect(["", ...options.split(" ")], attributes)
    : createElement("input", {
        ...attributes,
        type: "text",
        autocomplete: "off",
        spellcheck: "false",
        inputmode: type === "integer" ? "numeric" : undefined,
        placeholder: defaultValue === undefined ? undefined : `default: ${defaultValue}`,
      });
  const kind = field.querySelector(".type")?.textContent ?? "string";
  const mark = required === undefined ? undefined : createElement("span", { class: "required" }, " required");
  const label = createElement("label", { for: attributes.id }, name, mark);
  const row = createElement("div", { class: "row" }, label, input, createElement("span", { class: "hint" }, kind));
  return { name, place, input, row };
}

function createBodyInput(section: HTMLElement) {
  const types = (requireElement(".body", section).dataset["types"] ?? "").split(" ");
  const examples = [...section.querySelectorAll<HTMLElement>(".shown figure.request")];
  const id = `${section.id}-try-body`;
  const type = createSelect(types, { "aria-label": "Content-Type" });
  // Preselects the last type, which is `application/json`.
  type.value = types.at(-1) ?? "";
  const text = createElement("textarea", { id, rows: "8", spellcheck: "false", autocomplete: "off" });
  const fill = (figure?: HTMLElement) => {
    text.value = figure?.querySelector("code")?.textContent ?? "";
  };
  fill(examples[0]);
  const choices = examples.map((figure) => {
    const title = figure.querySelector("figcaption")?.textContent?.replace(/^Body: /, "") ?? "";
    return createButton(title, { class: "chip" }, () => fill(figure));
  });
  const chips = createElement("div", { class: "chips", role: "group", "aria-label": "Examples" }, ...choices);
  const row = createElement(
    "div",
    { class: "row body" },
    createElement("label", { for: id }, "Body"),
    choices.length > 1 ? chips : undefined,
    text,
    types.length > 1 ? type : undefined,
  );
  return { row, text, type };
}

function createSelect(options: readonly string[], attributes: Readonly<Record<string, string | undefined>>) {
  return createElement(
    "select",
    attributes,
    ...options.map((option) => createElement("option", { value: option }, option || "–")),
  );
}
