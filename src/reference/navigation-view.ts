import { type Html, html } from "../base/html.ts";
import { operationsOf, type ReferenceDocument } from "./document.ts";
import { anchorOf, capitalize, paragraphsOf, topicOf } from "./prose.ts";
import { schemaAnchor } from "./schema-view.ts";

export function navigationView(document: ReferenceDocument): Html {
  const { info, tags, webhooks, components } = document;
  const operations = operationsOf(document);
  const topics = paragraphsOf(info.description).flatMap((paragraph) => topicOf(paragraph) ?? []);
  return html`<nav id="navigation" popover aria-label="Contents">
<div class="find"></div>
${partView(
  "Introduction",
  "introduction",
  topics.map((topic) => linkView(anchorOf(topic), html`${topic}`, "")),
)}
${tags.map(({ name }) =>
  partView(
    capitalize(name),
    name,
    operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ method, path, operation: { operationId, summary, deprecated } }) =>
        linkView(
          operationId,
          html`<span class="method ${method.toLowerCase()}">${method === "DELETE" ? "DEL" : method}</span> ${deprecated ? html`<s>${summary}</s>` : summary}`,
          `${operationId} ${method} ${path}`,
        ),
      ),
  ),
)}
${partView(
  "Event types",
  "event-types",
  Object.entries(webhooks).map(([type, { post }]) => linkView(type, html`<code>${type}</code>`, post.summary)),
)}
${partView(
  "Schemas",
  "schemas",
  Object.keys(components.schemas).map((name) => linkView(schemaAnchor(name), html`${name}`, "")),
)}
${partView("More", "request-headers", [
  linkView(
    "request-headers",
    html`Request headers`,
    Object.values(components.parameters)
      .map(({ name }) => name)
      .join(" "),
  ),
  linkView("response-headers", html`Response headers`, Object.keys(components.headers).join(" ")),
  linkView("shared-responses", html`Shared responses`, Object.keys(components.responses).join(" ")),
])}
</nav>
`;
}

function partView(title: string, anchor: string, links: readonly Html[]): Html {
  return html`<div class="part"><h2><a href="#${anchor}">${title}</a></h2>
<ul>${links}</ul></div>
`;
}

function linkView(anchor: string, label: Html, words: string): Html {
  return html`<li><a href="#${anchor}"${words ? html` data-words="${words}"` : ""}>${label}</a></li>
`;
}
