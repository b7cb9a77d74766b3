import { type Html, html, joinHtml } from "../base/html.ts";
import { renderExamples, renderSamples } from "./code-view.ts";
import { errorCodeOf, renderResponseHeaders, toParameterAnchor, toResponseAnchor } from "./components-view.ts";
import {
  nameOf,
  type OperationAtPath,
  type Parameter,
  type ReferenceDocument,
  type Response,
  resolveReference,
} from "./document.ts";
import { formatInline, renderProse } from "./prose.ts";
import { basePathOf, createSamples } from "./samples.ts";
import { renderBody, renderField, renderStabilityBadge } from "./schema-view.ts";

export function renderOperation(located: OperationAtPath, document: ReferenceDocument): Html {
  const { method, path, operation } = located;
  const { operationId: id, summary, description, requestBody } = operation;
  const [[status, success] = ["", { description: "" }], ...others] = resolveResponses(operation.responses, document);
  const successes = [[status, success] as const, ...others.filter(([, { name }]) => name === undefined)];
  const shared = others.filter(([, { name }]) => name !== undefined);
  const bodies = Object.entries(requestBody?.content ?? {});
  const about = html`<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${basePathOf(document)}${breakAtSlashes(path)}</code> <button type="button" class="try primary" aria-label="Try it: ${summary}">Try it</button></p>
${operation.deprecated ? html`<p class="notice">Deprecated. It works until the end of <time datetime="${operation["x-sunset"] ?? ""}">${formatDate(operation["x-sunset"] ?? "")}</time> (UTC), and is then removed.</p>` : ""}
${renderProse(description)}
${["path", "query", "header"].map((place) => renderParameters(place, located, document))}
${requestBody ? renderRequest(requestBody, document) : ""}
${successes.map(([code, response]) => renderSuccess(code, response, document))}
${renderSharedResponses(shared, id)}
`;
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title" data-method="${method}" data-path="${path}" data-types="${Object.keys(success.content ?? {}).join(" ")}">
<span id="tag/${operation.tags[0] ?? ""}/${method}${path}"></span>
<header>
<h3 id="${id}-title"><a href="#${id}">${summary}</a></h3>
<p class="badges">${operation["x-stability-level"] === "stable" ? "" : renderStabilityBadge(operation["x-stability-level"])}${operation.deprecated ? html`<span class="badge deprecated">deprecated</span>` : ""}</p>
</header>
<div class="about">
${about}</div>
<div class="shown">
${renderSamples(createSamples(located, document), summary)}
${bodies.slice(-1).map(([type, media]) => renderExamples("Body", type, media, "request"))}${Object.entries(success.content ?? {}).map(([type, media]) => renderExamples(status, type, media))}</div>
</section>
`;
}

type NamedResponse = Response & { readonly name?: string | undefined };

function resolveResponses(responses: OperationAtPath["operation"]["responses"], { components }: ReferenceDocument) {
  return Object.entries(responses).map(([status, response]): [string, NamedResponse] => [
    status,
    { ...resolveReference<Response>(response, components.responses), name: nameOf(response) },
  ]);
}

function renderParameters(place: string, { operation }: OperationAtPath, { components }: ReferenceDocument): Html {
  const parameters = operation.parameters
    .map((parameter) => ({
      ...resolveReference<Parameter>(parameter, components.parameters),
      component: nameOf(parameter),
    }))
    .filter((parameter) => parameter.in === place);
  if (parameters.length === 0) return html``;
  // Operations share most headers, so each header is described only once.
  if (place === "header") {
    const names = parameters.map(
      ({ name, component = "" }) =>
        html`<li data-in="header" data-name="${name}"><a href="#${toParameterAnchor(component)}">${name}</a>`,
    );
    return html`<details><summary>Request headers</summary><ul class="plain">${names}</ul></details>\n`;
  }
  const fields = parameters.map(({ required, "x-stability-level": stability, ...rest }) =>
    renderField({ ...rest, isRequired: required, stability, place }, components.schemas),
  );
  return html`<h4>${place === "path" ? "Path parameters" : "Query parameters"}</h4>\n<ul class="fields">${fields}</ul>`;
}

function renderRequest(
  { description, required, content }: NonNullable<OperationAtPath["operation"]["requestBody"]>,
  { components }: ReferenceDocument,
): Html {
  const bodies = Object.entries(content);
  const [first] = bodies;
  return html`<div class="body" data-types="${bodies.map(([type]) => type).join(" ")}"><h4>Body ${required ? html`<span class="required">required</span>` : html`<span class="optional">optional</span>`}</h4>
<p class="media">${joinHtml(
    bodies.map(([type]) => html`<code>${type}</code>`),
    " or ",
  )}</p>
${description ? renderProse(description) : ""}${first ? renderBody(first[1], components.schemas) : ""}</div>
`;
}

function renderSuccess(
  status: string,
  { description, headers, content }: NamedResponse,
  { components }: ReferenceDocument,
): Html {
  const contents = Object.entries(content ?? {}).map(
    ([type, media]) => html`<p class="media"><code>${type}</code></p>
${renderBody(media, components.schemas)}`,
  );
  return html`<h4>Returns <span class="status">${status}</span></h4>
<p>${formatInline(description)}</p>
${contents}${renderResponseHeaders(headers ?? {}, components.headers)}`;
}

function renderSharedResponses(responses: readonly (readonly [string, NamedResponse])[], id: string): Html {
  const rows = responses.map(([status, response]) => {
    const code = errorCodeOf(response);
    const title = code ?? response.name ?? "";
    return html`<tr><td>${status}<td><a href="#${toResponseAnchor(response.name ?? "")}">${title}</a><td>${formatInline(response.description)}
`;
  });
  return html`<h4 id="${id}-errors">Other responses</h4>
<table class="responses" aria-labelledby="${id}-errors"><thead><tr><th>Status</th><th>Code</th><th>Meaning</th></tr></thead><tbody>
${rows}</tbody></table>
`;
}

function breakAtSlashes(path: string): Html[] {
  return path.split(/(?=\/)/).map((part) => html`<wbr>${part}`);
}

function formatDate(day: string): string {
  return new Date(day).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}
