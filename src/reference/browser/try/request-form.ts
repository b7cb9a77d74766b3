import { button, element, the } from "../element.ts";
import { basePath } from "../session.ts";

export interface TriedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A form for all parameters and the body of an operation, built from its section. Only an example of the body is filled in. */
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
    const [headers = [], others = []] = [true, false].map((isHeader) =>
      this.#inputs.filter(({ place }) => (place === "header") === isHeader).map(({ row }) => row),
    );
    const accept =
      this.#accept &&
      element("div", { class: "row" }, element("label", { for: this.#accept.id }, "Accept"), this.#accept);
    const details = element("details", {}, element("summary", {}, "Headers"), ...headers);
    this.form = element("form", {}, ...others, this.#body?.row, accept, details);
  }

  /** The request as it is filled in. */
  get request(): TriedRequest {
    const filled = this.#inputs.filter(({ value }) => value !== "");
    const inPlace = (wanted: string) =>
      Object.fromEntries(filled.filter(({ place }) => place === wanted).map(({ name, value }) => [name, value]));
    const inPath = inPlace("path");
    const query = new URLSearchParams(inPlace("query"));
    const path = this.#path.replace(/\{(\w+)\}/g, (whole, name) => encodeURIComponent(inPath[name] ?? "") || whole);
    const body = this.#body?.value;
    return {
      method: this.#method,
      path: `${basePath}${path}${query.size > 0 ? `?${query}` : ""}`,
      headers: {
        ...(this.#accept && { Accept: this.#accept.value }),
        ...(body ? { "Content-Type": this.#body?.type ?? "" } : undefined),
        ...inPlace("header"),
      },
      body: body || undefined,
    };
  }
}

/** An input for a parameter, built from its entry on the page. */
class ParameterInput {
  readonly row: HTMLElement;
  readonly name: string;
  readonly place: string;
  readonly #input: HTMLInputElement | HTMLSelectElement;

  constructor(field: HTMLElement, operation: string) {
    const { name = "", in: place = "", type, options, required, default: usual } = field.dataset;
    this.name = name;
    this.place = place;
    const attributes = { id: `${operation}-try-${place}-${name}`, required };
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
    const mark = required === undefined ? undefined : element("span", { class: "required" }, " required");
    const label = element("label", { for: attributes.id }, name, mark);
    this.row = element("div", { class: "row" }, label, this.#input, element("span", { class: "hint" }, kind));
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
    const choices = examples.map((figure) => {
      const title = figure.querySelector("figcaption")?.textContent?.replace(/^Body: /, "") ?? "";
      return button(title, { class: "chip" }, () => fill(figure));
    });
    const chips = element("div", { class: "chips", role: "group", "aria-label": "Examples" }, ...choices);
    const label = element("label", { for: id }, "Body");
    this.row = element("div", { class: "row body" }, label, choices.length > 1 ? chips : undefined, this.#text);
    if (types.length > 1) this.row.append(this.#type);
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
