import { type Html, html } from "../base/html.ts";
import { formatExample, renderCode, renderSamples } from "./code-view.ts";
import { renderComponents } from "./components-view.ts";
import {
  type DocumentedOperation,
  listOperations,
  type ReferenceDocument,
  type Response,
  resolveReference,
} from "./document.ts";
import { renderNavigation } from "./navigation-view.ts";
import { renderOperation } from "./operation-view.ts";
import { capitalize, formatInline, parseTopic, renderProse, splitParagraphs, toAnchor } from "./prose.ts";
import { basePathOf, createSamples } from "./samples.ts";
import { renderBody, renderStabilityBadge } from "./schema-view.ts";

/** Renders the whole OpenAPI document as an HTML page, which is complete without its script. */
export function renderReferencePage(
  document: ReferenceDocument,
  assets: Readonly<Record<"script" | "style" | "icon", string>>,
): string {
  const { info } = document;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="The API reference of the animal store, with requests to try.">
<title>API reference – Animal store</title>
<link rel="icon" type="image/svg+xml" href="${assets.icon}">
<link rel="stylesheet" href="${assets.style}">
<script type="module" src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<button type="button" class="menu" popovertarget="navigation">Contents</button>
<a class="brand" href="/"><img src="${assets.icon}" alt="" width="28" height="28">Animal store</a>
<span class="where">API reference</span>
<div class="tools"></div>
<a class="console" href="/">Console</a>
</header>
<div class="page">
${renderNavigation(document)}
<main id="content" tabindex="-1" data-base="${basePathOf(document)}">
<section class="introduction" id="description/introduction" aria-labelledby="introduction">
<div class="about">
<h1 id="introduction">${info.title} <span class="version">${info.version}</span></h1>
<p class="summary">${formatInline(info.summary)}</p>
${renderServers(document)}
${splitParagraphs(info.description).map(renderIntroduction)}
</div>
${renderFirstRequest(document)}
</section>
${document.tags.map((tag) => renderGroup(tag, document))}
${renderEvents(document)}
${renderComponents(document)}
</main>
</div>
</body>
</html>
`.text;
}

function renderServers({ servers }: ReferenceDocument): Html {
  return html`<dl class="facts">
${servers.map(({ url, description }) => html`<div><dt>${description}</dt><dd><code>${url}</code></dd></div>\n`)}<div><dt>For programs</dt><dd><a href="/v1/openapi.json" download>openapi.json</a> <a href="/v1/openapi.yaml" download>openapi.yaml</a></dd></div>
<div><dt>When it fails</dt><dd><a href="/docs/errors">The errors, explained</a></dd></div>
</dl>
`;
}

function renderFirstRequest(document: ReferenceDocument): Html {
  const [first] = listOperations(document);
  if (!first) return html``;
  return html`<div class="shown"><h2 class="small">Your first request</h2>
${renderSamples(createSamples(first, document), "Your first request")}</div>`;
}

function renderIntroduction(paragraph: string): Html {
  const topic = parseTopic(paragraph);
  return html`<p${topic ? html` id="${toAnchor(topic)}"` : ""}>${formatInline(paragraph)}</p>\n`;
}

function renderGroup({ name, description }: ReferenceDocument["tags"][number], document: ReferenceDocument): Html {
  const operations = listOperations(document).filter(({ operation }) => operation.tags.includes(name));
  return html`<section class="group" id="tag/${name}" aria-labelledby="${name}">
<h2 id="${name}">${capitalize(name)}</h2>
${renderProse(description)}
${operations.map((located) => renderOperation(located, document))}</section>
`;
}

function renderEvents({ webhooks, components: { schemas, responses } }: ReferenceDocument): Html {
  const renderEvent = ([type, { post }]: [string, { readonly post: DocumentedOperation }]) => {
    const [[mediaType, media] = ["", undefined]] = Object.entries(post.requestBody?.content ?? {});
    const examples = Object.values(media?.examples ?? {}).map(({ value }) =>
      renderCode(`${type}, ${mediaType}`, formatExample(value), "json"),
    );
    const about = html`<p class="route"><span class="method event">EVENT</span> <code>${type}</code></p>
${renderProse(post.description)}
<h4>Payload</h4>
${media ? renderBody(media, schemas) : ""}
<h4>Your response</h4>
${Object.entries(post.responses).map(([status, response]) => html`<p><span class="status">${status}</span> ${formatInline(resolveReference<Response>(response, responses).description)}</p>`)}`;
    return html`<section class="operation event" id="${type}" aria-labelledby="${type}-title">
<header><h3 id="${type}-title"><a href="#${type}">${post.summary}</a></h3><p class="badges">${renderStabilityBadge(post["x-stability-level"])}</p></header>
<div class="about">${about}</div>
<div class="shown">${examples}</div>
</section>
`;
  };
  return html`<section class="group" aria-labelledby="event-types"><h2 id="event-types">Event types</h2>
<p><a href="#listEvents">The list of events</a> contains these events. <a href="#createWebhook">Webhooks</a> receive them by <code>POST</code>, signed according to Standard Webhooks.</p>
${Object.entries(webhooks).map(renderEvent)}</section>
`;
}
