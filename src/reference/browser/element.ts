type Attributes = Readonly<Record<string, string | undefined>>;

/** Creates an element. Omits undefined attributes and children. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined) node.setAttribute(attribute, value);
  }
  node.append(...children.filter((child) => child !== undefined));
  return node;
}

export function createButton(label: string, attributes: Attributes, onClick: () => void): HTMLButtonElement {
  const node = createElement("button", { type: "button", ...attributes }, label);
  node.addEventListener("click", onClick);
  return node;
}

export function requireElement(selector: string, within: ParentNode = document): HTMLElement {
  const match = within.querySelector<HTMLElement>(selector);
  if (!match) throw new Error(`The page has no ${selector}.`);
  return match;
}
