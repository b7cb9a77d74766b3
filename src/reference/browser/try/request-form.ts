import { button, element, the } from "../element.ts";
import { base } from "../session.ts";

export interface TriedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A form for everything that the section of an operation says can be sent. Nothing is filled in but an example of the body. */
export class RequestForm {
  readonly form: HTMLFormElement;
  readonly #method: string;
  readonly #path: string;
  readonly #inputs: ParameterInput[];
  readonly #body: BodyInput | undefined;
  readonly #accept: HTMLSelectElement | undefined;

  constructor(section: HTMLElement) {
    const { method = "", path = "", types = "" } = section.dataset;
    this.#method = method;
    this.#path = path;
    this.#inputs = [...section.querySelectorAll<HTMLElement>("li[data-in]")].map(
      (field) => new ParameterInput(field, section.id),
    );
    this.#body = section.querySelector(".body") ? new BodyInput(section) : undefined;
    const accepted = types.split(" ");
    this.#accept = accepted.length > 1 ? selectOf(accepted, { id: `${section.id}-try-accept` }) : undefined;
    const headers = this.#inputs.filter(({ place }) => place === "header").map(({ row }) => row);
    this.form = element(
      "form",
      {},
      ...this.#inputs.filter(({ place }) => place !== "header").map(({ row }) => row),
      this.#body?.row,
      this.#accept &&
        element("div", { class: "row" }, element("label", { for: this.#accept.id }, "Accept"), this.#accept),
      element("details", {}, element("summary", {}, "Headers"), ...headers),
    );
  }

  /** What would be sent now. */
  get request(): TriedRequest {
    const filled = this.#inputs.filter(({ value }) => value !== "");
    const inPath = new Map(filled.map(({ name, value }) => [name, value]));
    const query = new URLSearchParams(
      filled.filter(({ place }) => place === "query").map(({ name, value }) => [name, value]),
    );
    const path = this.#path.replace(/\{(\w+)\}/g, (whole, name) => {
      const value = inPath.get(name);
      return value === undefined ? whole : encodeURIComponent(value);
    });
    const body = this.#body?.value;
    return {
      method: this.#method,
      path: `${base()}${path}${query.size > 0 ? `?${query}` : ""}`,
      headers: {
        ...(this.#accept && { Accept: this.#accept.value }),
        ...(body ? { "Content-Type": this.#body?.type ?? "" } : undefined),
        ...Object.fromEntries(filled.filter(({ place }) => place === "header").map(({ name, value }) => [name, value])),
      },
      body: body || undefined,
    };
  }
}

/** One parameter, as its entry on the page describes it. */
class ParameterInput {
  readonly row: HTMLElement;
  readonly name: string;
  readonly place: string;
  readonly #input: HTMLInputElement | HTMLSelectElement;

  constructor(field: HTMLElement, operation: string) {
    const { name = "", in: place = "", type, options, required, default: usual } = field.dataset;
    this.name = name;
    this.place = place;
    const attributes = {
      id: `${operation}-try-${place}-${name}`,
      required: required === undefined ? undefined : "",
    };
    this.#input = options
      ? selectOf(["", ...options.split(" ")], attributes)
      : element("input", {
          ...attributes,
          type: "text",
          autocomplete: "off",
          spellcheck: "false",
          inputmode: type === "integer" ? "numeric" : undefined,
          placeholder: usual === undefined ? undefined : `default: ${usual}`,
        });
    const kind = field.querySelector(".type")?.textContent ?? "string";
    this.row = element(
      "div",
      { class: "row" },
      element(
        "label",
        { for: attributes.id },
        name,
        required === undefined ? undefined : element("span", { class: "required" }, " required"),
      ),
      this.#input,
      element("span", { class: "hint" }, kind),
    );
  }

  get value(): string {
    return this.#input.value.trim();
  }
}

class BodyInput {
  readonly row: HTMLElement;
  readonly #text: HTMLTextAreaElement;
  readonly #type: HTMLSelectElement;

  constructor(section: HTMLElement) {
    const types = (the(".body", section).dataset["types"] ?? "").split(" ");
    const examples = [...section.querySelectorAll<HTMLElement>(".shown figure.request")];
    const id = `${section.id}-try-body`;
    this.#type = selectOf(types, { "aria-label": "Content-Type" });
    // The last type is the plainest.
    this.#type.value = types.at(-1) ?? "";
    this.#text = element("textarea", { id, rows: "8", spellcheck: "false", autocomplete: "off" });
    const fill = (figure?: HTMLElement) => {
      this.#text.value = figure?.querySelector("code")?.textContent ?? "";
    };
    fill(examples[0]);
    const choices = examples.map((figure) =>
      button(figure.querySelector("figcaption")?.textContent?.replace(/^Body: /, "") ?? "", { class: "chip" }, () =>
        fill(figure),
      ),
    );
    this.row = element(
      "div",
      { class: "row body" },
      element("label", { for: id }, "Body"),
      choices.length > 1
        ? element("div", { class: "chips", role: "group", "aria-label": "Examples" }, ...choices)
        : undefined,
      this.#text,
      types.length > 1 ? this.#type : undefined,
    );
  }

  get value(): string {
    return this.#text.value;
  }

  get type(): string {
    return this.#type.value;
  }
}

function selectOf(
  options: readonly string[],
  attributes: Readonly<Record<string, string | undefined>>,
): HTMLSelectElement {
  return element("select", attributes, ...options.map((option) => element("option", { value: option }, option || "–")));
}
