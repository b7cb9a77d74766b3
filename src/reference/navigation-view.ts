import { type Html, html } from "../base/html.ts";
import { listOperations, type ReferenceDocument } from "./document.ts";
import { capitalize, parseTopic, splitParagraphs, toAnchor } from "./prose.ts";
import { toSchemaAnchor } from "./schema-view.ts";

export function renderNavigation(document: ReferenceDocument): Html {
  const { info, tags, webhooks, components } = document;
  const operations = listOperations(document);
  const topics = splitParagraphs(info.description).flatMap((paragraph) => parseTopic(paragraph) ?? []);
  return html`<nav id="navigation" popover aria-label="Contents">
<div class="find"></div>
${renderPart(
  "Introduction",
  "introduction",
  topics.map((topic) => renderLink(toAnchor(topic), html`${topic}`, "")),
)}
${tags.map(({ name }) =>
  renderPart(
    capitalize(name),
    name,
    operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ method, path, operation: { operationId, summary, deprecated } }) =>
        renderLink(
          operationId,
          html`<span class="method ${method.toLowerCase()}">${method === "DELETE" ? "DEL" : method}</span> ${deprecated ? html`<s>${summary}</s>` : summary}`,
          `${operationId} ${method} ${path}`,
        ),
      ),
  ),
)}
${renderPart(
  "Event types",
  "event-types",
  Object.entries(webhooks).map(([type, { post }]) => renderLink(type, html`<code>${type}</code>`, post.summary)),
)}
${renderPart(
  "Schemas",
  "schemas",
  Object.keys(components.schemas).map((name) => renderLink(toSchemaAnchor(name), html`${name}`, "")),
)}
${renderPart("More", "request-headers", [
  renderLink(
    "request-headers",
    html`Request headers`,
    Object.values(components.parameters)
      .map(({ name }) => name)
      .join(" "),
  ),
  renderLink("response-headers", html`Response headers`, Object.keys(components.headers).join(" ")),
  renderLink("shared-responses", html`Shared responses`, Object.keys(components.responses).join(" ")),
])}
</nav>
`;
}

function renderPart(title: string, anchor: string, links: readonly Html[]): Html {
  return html`<div class="part"><h2><a href="#${anchor}">${title}</a></h2>
<ul>${links}</ul></div>
`;
}

function renderLink(anchor: string, label: Html, words: string): Html {
  return html`<li><a href="#${anchor}"${words ? html` data-words="${words}"` : ""}>${label}</a></li>
`;
}
