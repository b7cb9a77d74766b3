type Attributes = Readonly<Record<string, string | undefined>>;

/** Creates an element. An undefined attribute or child is left out. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(attribute, value);
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

export function button(label: string, attributes: Attributes, onClick: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", onClick);
  return made;
}

/** Returns the element of the page, which must exist. */
export function the<Kind extends HTMLElement = HTMLElement>(selector: string, within: ParentNode = document): Kind {
  const found = within.querySelector<Kind>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
}
