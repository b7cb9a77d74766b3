import { type Html, html, joinHtml } from "../base/html.ts";
import { codeView, formatExample } from "./code-view.ts";
import {
  type Header,
  nameOf,
  operationsOf,
  type Reference,
  type ReferenceDocument,
  type Response,
} from "./document.ts";
import { formatInline, prose } from "./prose.ts";
import { fieldView, kindView, rulesView, schemaAnchor, shapeView } from "./schema-view.ts";

/** Renders the parts that operations share: schemas, headers and responses. */
export function componentsView(document: ReferenceDocument): Html {
  return html`${schemasView(document)}${parametersView(document)}${headersView(document)}${responsesView(document)}`;
}

export function parameterAnchor(component: string): string {
  return `request-${component}`;
}

export function responseAnchor(name: string): string {
  return `response-${name}`;
}

export function errorCodeOf({ content }: Response): string | undefined {
  const [example] = Object.values(content?.["application/json"]?.examples ?? {});
  const value = example?.value as { readonly code?: string } | undefined;
  return value?.code;
}

/** Renders links to the headers of a response: first the headers that are always present, then the optional ones. */
export function responseHeadersView(
  headers: Readonly<Record<string, Reference>>,
  components: ReferenceDocument["components"]["headers"],
): Html {
  const linksView = (isAlways: boolean) =>
    joinHtml(
      Object.entries(headers)
        .map(([name, reference]) => ({ name, component: nameOf(reference) ?? "" }))
        .filter(({ component }) => (components[component]?.required === true) === isAlways)
        .map(({ name, component }) => html`<a href="#${headerAnchor(component)}">${name}</a>`),
      ", ",
    );
  const optionalLinks = linksView(false);
  if (Object.keys(headers).length === 0) return html``;
  return html`<details><summary>Response headers</summary><p class="plain">Always: ${linksView(true)}.${optionalLinks.text ? html` Sometimes: ${optionalLinks}.` : ""}</p></details>
`;
}

function componentView(anchor: string, content: Html, kind = ""): Html {
  return html`<section class="component${kind}" id="${anchor}" aria-labelledby="${anchor}-title">
${content}</section>
`;
}

function groupView(id: string, title: string, content: Html | readonly Html[], groupId?: string): Html {
  return html`<section class="group"${groupId ? html` id="${groupId}"` : ""} aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}</section>
`;
}

function fieldsView(items: readonly Html[]): Html {
  return html`<div class="component"><ul class="fields">${items}</ul></div>`;
}

function schemasView({ components: { schemas } }: ReferenceDocument): Html {
  const sections = Object.entries(schemas).map(([name, schema]) => {
    const anchor = schemaAnchor(name);
    const content = html`<h3 id="${anchor}-title"><a href="#${anchor}">${name}</a> <span class="type">${kindView(schema, schemas)}</span></h3>
${schema.description && (schema.properties || schema.oneOf) ? prose(schema.description) : ""}${shapeView(schema, schemas)}
`;
    return componentView(anchor, content);
  });
  return groupView("schemas", "Schemas", sections, "models");
}

function parametersView({ components: { parameters, schemas } }: ReferenceDocument): Html {
  const items = Object.entries(parameters).map(([component, { required, "x-stability-level": stability, ...rest }]) =>
    fieldView({ ...rest, isRequired: required, stability, id: parameterAnchor(component) }, schemas),
  );
  return groupView("request-headers", "Request headers", fieldsView(items));
}

function headersView({ components: { headers } }: ReferenceDocument): Html {
  const described = new Map<string, Header>();
  for (const [name, header] of Object.entries(headers)) {
    if (!described.has(headerAnchor(name))) described.set(headerAnchor(name), header);
  }
  const items = [...described].map(([anchor, { description, schema }]) => {
    const name = anchor.slice(headerPrefix.length).replace(/\..*/, "");
    return html`<li id="${anchor}"><p class="field"><code class="name">${name}</code> <span class="type">${kindView(schema, {})}</span></p>
<p>${formatInline(description)}</p>${rulesView(schema)}</li>
`;
  });
  return groupView("response-headers", "Response headers", fieldsView(items));
}

function responsesView(document: ReferenceDocument): Html {
  const { components } = document;
  const statuses = statusesOf(document);
  const sections = Object.entries(components.responses).map(([name, response]) => {
    const anchor = responseAnchor(name);
    const code = errorCodeOf(response);
    const bodies = Object.entries(response.content ?? {}).flatMap(([type, { examples }]) =>
      Object.values(examples).map(({ value }) => codeView(type, formatExample(value), "json")),
    );
    const content = html`<h3 id="${anchor}-title"><a href="#${anchor}">${name}</a> <span class="status">${statuses.get(name) ?? ""}</span></h3>
<p>${formatInline(response.description)}${code ? html` <a href="/docs/errors#${code}">What to do about it</a>` : ""}</p>
${responseHeadersView(response.headers ?? {}, components.headers)}${bodies.length > 0 ? html`<details><summary>Bodies</summary>${bodies}</details>` : ""}
`;
    return componentView(anchor, content, " response");
  });
  const content = html`<p>Several operations return these responses; only the headers may differ.</p>
${sections}`;
  return groupView("shared-responses", "Shared responses", content);
}

function statusesOf(document: ReferenceDocument): ReadonlyMap<string, string> {
  return new Map(
    operationsOf(document).flatMap(({ operation }) =>
      Object.entries(operation.responses).map(([status, response]) => [nameOf(response) ?? "", status] as const),
    ),
  );
}

const headerPrefix = "header-";

/** The required and the optional variant of a header share one description, and so one anchor. */
function headerAnchor(component: string): string {
  return headerPrefix + component.replace(/\.optional$/, "");
}
