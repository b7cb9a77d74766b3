import { type Html, html } from "../base/html.ts";
import { codeView, exampleText } from "./code-view.ts";
import { type Answer, type Header, nameOf, operationsOf, type Reference, type ReferenceDocument } from "./document.ts";
import { heightOf } from "./height.ts";
import { inline, prose } from "./prose.ts";
import { fieldView, kindOf, rulesView, schemaAnchor, shapeOf } from "./schema-view.ts";

/** What operations share, each described once: schemas, headers, and the answers that are alike for many. */
export function componentsView(document: ReferenceDocument): Html {
  return html`${schemasView(document)}${parametersView(document)}${headersView(document)}${answersView(document)}`;
}

/** Where a header of requests is shown. */
export function parameterAnchor(component: string): string {
  return `request-${component}`;
}

/** Where an answer that operations share is shown. */
export function answerAnchor(name: string): string {
  return `response-${name}`;
}

/** The code of an error, as its body has it; undefined if the answer is none. */
export function codeOf({ content }: Answer): string | undefined {
  const [example] = Object.values(content?.["application/json"]?.examples ?? {});
  const value = example?.value as { readonly code?: string } | undefined;
  return value?.code;
}

/** The names of the headers: first those that are always there. */
export function headersLine(
  headers: Readonly<Record<string, Reference>>,
  components: ReferenceDocument["components"]["headers"],
): Html {
  const named = Object.entries(headers).map(([name, reference]) => {
    const component = nameOf(reference) ?? "";
    const link = html`<a href="#${headerAnchor(component)}">${name}</a>`;
    return { link, isAlways: components[component]?.required === true };
  });
  const listed = (isAlways: boolean) =>
    named
      .filter((header) => header.isAlways === isAlways)
      .flatMap(({ link }, index) => [html`${index > 0 ? ", " : ""}`, link]);
  const [always, sometimes] = [listed(true), listed(false)];
  if (named.length === 0) return html``;
  return html`<details><summary>Response headers</summary><p class="plain">Always: ${always}.${sometimes.length > 0 ? html` Sometimes: ${sometimes}.` : ""}</p></details>
`;
}

function schemasView({ components: { schemas } }: ReferenceDocument): Html {
  const sections = Object.entries(schemas).map(([name, schema]) => {
    const anchor = schemaAnchor(name);
    const about = html`<h3 id="${anchor}-title"><a href="#${anchor}">${name}</a> <span class="type">${kindOf(schema, schemas)}</span></h3>
${schema.description && (schema.properties || schema.oneOf) ? prose(schema.description) : ""}${shapeOf(schema, schemas)}
`;
    return html`<section class="component" id="${anchor}" aria-labelledby="${anchor}-title" data-height="${heightOf(about)}">
${about}</section>
`;
  });
  return html`<section class="group" id="models" aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>
${sections}</section>
`;
}

function parametersView({ components: { parameters, schemas } }: ReferenceDocument): Html {
  const items = Object.entries(parameters).map(([component, { required, "x-stability-level": stability, ...rest }]) =>
    fieldView({ ...rest, isRequired: required, stability, id: parameterAnchor(component) }, schemas),
  );
  return html`<section class="group" aria-labelledby="request-headers"><h2 id="request-headers">Request headers</h2>
<div class="component" data-height="${heightOf(html`${items}`)}"><ul class="fields">${items}</ul></div></section>
`;
}

function headersView({ components: { headers } }: ReferenceDocument): Html {
  const described = new Map<string, Header>();
  for (const [name, header] of Object.entries(headers)) {
    if (!described.has(headerAnchor(name))) described.set(headerAnchor(name), header);
  }
  const items = [...described].map(([anchor, { description, schema }]) => {
    const name = anchor.slice(headerPrefix.length).replace(/\..*/, "");
    return html`<li id="${anchor}"><p class="field"><code class="name">${name}</code> <span class="type">${kindOf(schema, {})}</span></p>
<p>${inline(description)}</p>${rulesView(schema)}</li>
`;
  });
  return html`<section class="group" aria-labelledby="response-headers"><h2 id="response-headers">Response headers</h2>
<div class="component" data-height="${heightOf(html`${items}`)}"><ul class="fields">${items}</ul></div></section>
`;
}

function answersView(document: ReferenceDocument): Html {
  const { components } = document;
  const statuses = statusesOf(document);
  const sections = Object.entries(components.responses).map(([name, answer]) => {
    const anchor = answerAnchor(name);
    const code = codeOf(answer);
    const bodies = Object.entries(answer.content ?? {}).map(([type, { examples }]) =>
      Object.values(examples).map(({ value }) => codeView(type, exampleText(value), "json")),
    );
    const about = html`<h3 id="${anchor}-title"><a href="#${anchor}">${name}</a> <span class="status">${statuses.get(name) ?? ""}</span></h3>
<p>${inline(answer.description)}${code ? html` <a href="/docs/errors#${code}">What to do about it</a>` : ""}</p>
${headersLine(answer.headers ?? {}, components.headers)}${bodies.length > 0 ? html`<details><summary>Bodies</summary>${bodies.flat()}</details>` : ""}
`;
    return html`<section class="component answer" id="${anchor}" aria-labelledby="${anchor}-title" data-height="${heightOf(about)}">
${about}</section>
`;
  });
  return html`<section class="group" aria-labelledby="shared-responses"><h2 id="shared-responses">Shared responses</h2>
<p>Operations that answer alike, but for the headers, refer to these.</p>
${sections}</section>
`;
}

/** With which status each of the answers is sent. */
function statusesOf(document: ReferenceDocument): ReadonlyMap<string, string> {
  return new Map(
    operationsOf(document).flatMap(({ operation }) =>
      Object.entries(operation.responses).flatMap(([status, answer]) => {
        const name = nameOf(answer);
        return name === undefined ? [] : [[name, status] as const];
      }),
    ),
  );
}

const headerPrefix = "header-";

/** A header that is not always there is described with the one that is. */
function headerAnchor(component: string): string {
  return headerPrefix + component.replace(/\.optional$/, "");
}
