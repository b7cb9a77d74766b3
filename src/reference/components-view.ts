import { type Html, html, joinHtml } from "../base/html.ts";
import { formatExample, renderCode } from "./code-view.ts";
import {
  type Header,
  listOperations,
  nameOf,
  type Reference,
  type ReferenceDocument,
  type Response,
} from "./document.ts";
import { formatInline, renderProse } from "./prose.ts";
import { renderField, renderKind, renderRules, renderShape, toSchemaAnchor } from "./schema-view.ts";

/** Renders the parts that operations share: schemas, headers and responses. */
export function renderComponents(document: ReferenceDocument): Html {
  return html`${renderSchemas(document)}${renderParameters(document)}${renderHeaders(document)}${renderResponses(document)}`;
}

export function toParameterAnchor(component: string): string {
  return `request-${component}`;
}

export function toResponseAnchor(name: string): string {
  return `response-${name}`;
}

export function errorCodeOf({ content }: Response): string | undefined {
  const [example] = Object.values(content?.["application/json"]?.examples ?? {});
  const value = example?.value as { readonly code?: string } | undefined;
  return value?.code;
}

/** Renders links to the headers of a response: first the headers that are always present, then the optional ones. */
export function renderResponseHeaders(
  headers: Readonly<Record<string, Reference>>,
  components: ReferenceDocument["components"]["headers"],
): Html {
  const renderLinks = (isAlways: boolean) =>
    joinHtml(
      Object.entries(headers)
        .map(([name, reference]) => ({ name, component: nameOf(reference) ?? "" }))
        .filter(({ component }) => (components[component]?.required === true) === isAlways)
        .map(({ name, component }) => html`<a href="#${toHeaderAnchor(component)}">${name}</a>`),
      ", ",
    );
  const optionalLinks = renderLinks(false);
  if (Object.keys(headers).length === 0) return html``;
  return html`<details><summary>Response headers</summary><p class="plain">Always: ${renderLinks(true)}.${optionalLinks.text ? html` Sometimes: ${optionalLinks}.` : ""}</p></details>
`;
}

function renderComponent(anchor: string, content: Html, kind = ""): Html {
  return html`<section class="component${kind}" id="${anchor}" aria-labelledby="${anchor}-title">
${content}</section>
`;
}

function renderGroup(id: string, title: string, content: Html | readonly Html[], groupId?: string): Html {
  return html`<section class="group"${groupId ? html` id="${groupId}"` : ""} aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}</section>
`;
}

function renderFields(items: readonly Html[]): Html {
  return html`<div class="component"><ul class="fields">${items}</ul></div>`;
}

function renderSchemas({ components: { schemas } }: ReferenceDocument): Html {
  const sections = Object.entries(schemas).map(([name, schema]) => {
    const anchor = toSchemaAnchor(name);
    const content = html`<h3 id="${anchor}-title"><a href="#${anchor}">${name}</a> <span class="type">${renderKind(schema, schemas)}</span></h3>
${schema.description && (schema.properties || schema.oneOf) ? renderProse(schema.description) : ""}${renderShape(schema, schemas)}
`;
    return renderComponent(anchor, content);
  });
  return renderGroup("schemas", "Schemas", sections, "models");
}

function renderParameters({ components: { parameters, schemas } }: ReferenceDocument): Html {
  const items = Object.entries(parameters).map(([component, { required, "x-stability-level": stability, ...rest }]) =>
    renderField({ ...rest, isRequired: required, stability, id: toParameterAnchor(component) }, schemas),
  );
  return renderGroup("request-headers", "Request headers", renderFields(items));
}

function renderHeaders({ components: { headers } }: ReferenceDocument): Html {
  const described = new Map<string, Header>();
  for (const [name, header] of Object.entries(headers)) {
    if (!described.has(toHeaderAnchor(name))) described.set(toHeaderAnchor(name), header);
  }
  const items = [...described].map(([anchor, { description, schema }]) => {
    const name = anchor.slice(headerPrefix.length).replace(/\..*/, "");
    return html`<li id="${anchor}"><p class="field"><code class="name">${name}</code> <span class="type">${renderKind(schema, {})}</span></p>
<p>${formatInline(description)}</p>${renderRules(schema)}</li>
`;
  });
  return renderGroup("response-headers", "Response headers", renderFields(items));
}

function renderResponses(document: ReferenceDocument): Html {
  const { components } = document;
  const statuses = listStatuses(document);
  const sections = Object.entries(components.responses).map(([name, response]) => {
    const anchor = toResponseAnchor(name);
    const code = errorCodeOf(response);
    const bodies = Object.entries(response.content ?? {}).flatMap(([type, { examples }]) =>
      Object.values(examples).map(({ value }) => renderCode(type, formatExample(value), "json")),
    );
    const content = html`<h3 id="${anchor}-title"><a href="#${anchor}">${name}</a> <span class="status">${statuses.get(name) ?? ""}</span></h3>
<p>${formatInline(response.description)}${code ? html` <a href="/docs/errors#${code}">What to do about it</a>` : ""}</p>
${renderResponseHeaders(response.headers ?? {}, components.headers)}${bodies.length > 0 ? html`<details><summary>Bodies</summary>${bodies}</details>` : ""}
`;
    return renderComponent(anchor, content, " response");
  });
  const content = html`<p>Several operations return these responses; only the headers may differ.</p>
${sections}`;
  return renderGroup("shared-responses", "Shared responses", content);
}

function listStatuses(document: ReferenceDocument): ReadonlyMap<string, string> {
  return new Map(
    listOperations(document).flatMap(({ operation }) =>
      Object.entries(operation.responses).map(([status, response]) => [nameOf(response) ?? "", status] as const),
    ),
  );
}

const headerPrefix = "header-";

/** The required and the optional variant of a header share one description, and so one anchor. */
function toHeaderAnchor(component: string): string {
  return headerPrefix + component.replace(/\.optional$/, "");
}
