/**
 * The library makes style elements and style attributes by script, and tries whether it may compile code. The page's policy
 * forbids all three. Here they are done in ways that it allows: this has to run before any code of the library.
 */

// Its checker of data would try to compile its checks; this tells it not to.
(globalThis as { __zod_globalConfig?: object }).__zod_globalConfig = { jitless: true };

/** In the place of a style element: its text becomes a style sheet by way of the object model. */
class AdoptedStyle extends HTMLElement {
  readonly #constructed = new CSSStyleSheet();
  #linked: CSSStyleSheet | null = null;
  #rule: CSSRule | undefined;

  constructor() {
    super();
    // Without a slot, the text is not shown.
    this.attachShadow({ mode: "open" });
    new MutationObserver(() => this.#update()).observe(this, { childList: true, characterData: true, subtree: true });
  }

  connectedCallback(): void {
    // One that stands before the linked style sheets, as the editor's does, must not win over them.
    const link = document.querySelector<HTMLLinkElement>("link[rel=stylesheet]");
    const isBefore = link && this.compareDocumentPosition(link) & Node.DOCUMENT_POSITION_FOLLOWING;
    this.#linked = isBefore ? link.sheet : null;
    if (!this.#linked) document.adoptedStyleSheets.push(this.#constructed);
    this.#update();
  }

  disconnectedCallback(): void {
    this.#withdraw();
    this.#linked = null;
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.#constructed);
  }

  #update(): void {
    if (!this.isConnected) return;
    const text = this.textContent ?? "";
    if (!this.#linked) {
      this.#constructed.replaceSync(text);
      return;
    }
    this.#withdraw();
    this.#linked.insertRule(`@media all {${text}}`, 0);
    this.#rule = this.#linked.cssRules[0];
  }

  #withdraw(): void {
    const index = this.#linked && this.#rule ? [...this.#linked.cssRules].indexOf(this.#rule) : -1;
    if (index >= 0) this.#linked?.deleteRule(index);
    this.#rule = undefined;
  }
}

const styleName = "adopted-style";
customElements.define(styleName, AdoptedStyle);

const { createElement } = document;
document.createElement = function (this: Document, name: string, options?: ElementCreationOptions) {
  return createElement.call(this, name.toLowerCase() === "style" ? styleName : name, options);
} as typeof document.createElement;

const { setAttribute } = Element.prototype;
Element.prototype.setAttribute = function (name, value) {
  if (name.toLowerCase() === "style" && "style" in this) (this as HTMLElement).style.cssText = value;
  else setAttribute.call(this, name, value);
};

const innerHtml = Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML") ?? {};
Object.defineProperty(Element.prototype, "innerHTML", {
  ...innerHtml,
  set(this: Element, text: unknown) {
    if (this instanceof AdoptedStyle) {
      this.textContent = String(text);
      return;
    }
    const markup = String(text ?? "");
    const withoutStyles = markup.replace(/(<[a-z][^<>]*?\s)style=/gi, "$1data-style=");
    innerHtml.set?.call(this, withoutStyles);
    if (withoutStyles === markup) return;
    const root = this instanceof HTMLTemplateElement ? this.content : this;
    for (const element of root.querySelectorAll<HTMLElement>("[data-style]")) {
      element.style.cssText = element.dataset["style"] ?? "";
      element.removeAttribute("data-style");
    }
  },
});
