type Attributes = Readonly<Record<string, string | undefined>>;

/** Creates an element. Omits undefined attributes and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined) created.setAttribute(attribute, value);
  }
  created.append(...children.filter((child) => child !== undefined));
  return created;
}

export function button(label: string, attributes: Attributes, onClick: () => void): HTMLButtonElement {
  const created = element("button", { type: "button", ...attributes }, label);
  created.addEventListener("click", onClick);
  return created;
}

export function requireElement(selector: string, within: ParentNode = document): HTMLElement {
  const found = within.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
}
