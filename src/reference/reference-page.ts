import { type Html, html } from "../base/html.ts";
import { codeView, formatExample, samplesView } from "./code-view.ts";
import { componentsView } from "./components-view.ts";
import {
  type DocumentedOperation,
  operationsOf,
  type ReferenceDocument,
  type Response,
  resolveReference,
} from "./document.ts";
import { navigationView } from "./navigation-view.ts";
import { operationView } from "./operation-view.ts";
import { anchorOf, capitalize, formatInline, paragraphsOf, prose, topicOf } from "./prose.ts";
import { basePathOf, samplesOf } from "./samples.ts";
import { bodyView, stabilityBadge } from "./schema-view.ts";

/** Renders the whole OpenAPI document as an HTML page, which is complete without its script. */
export function referencePage(
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
${navigationView(document)}
<main id="content" tabindex="-1" data-base="${basePathOf(document)}">
<section class="introduction" id="description/introduction" aria-labelledby="introduction">
<div class="about">
<h1 id="introduction">${info.title} <span class="version">${info.version}</span></h1>
<p class="summary">${formatInline(info.summary)}</p>
${serversView(document)}
${paragraphsOf(info.description).map(introductionView)}
</div>
${firstRequestView(document)}
</section>
${document.tags.map((tag) => groupView(tag, document))}
${eventsView(document)}
${componentsView(document)}
</main>
</div>
</body>
</html>
`.text;
}

function serversView({ servers }: ReferenceDocument): Html {
  return html`<dl class="facts">
${servers.map(({ url, description }) => html`<div><dt>${description}</dt><dd><code>${url}</code></dd></div>\n`)}<div><dt>For programs</dt><dd><a href="/v1/openapi.json" download>openapi.json</a> <a href="/v1/openapi.yaml" download>openapi.yaml</a></dd></div>
<div><dt>When it fails</dt><dd><a href="/docs/errors">The errors, explained</a></dd></div>
</dl>
`;
}

function firstRequestView(document: ReferenceDocument): Html {
  const [first] = operationsOf(document);
  if (!first) return html``;
  return html`<div class="shown"><h2 class="small">Your first request</h2>
${samplesView(samplesOf(first, document), "Your first request")}</div>`;
}

function introductionView(paragraph: string): Html {
  const topic = topicOf(paragraph);
  return html`<p${topic ? html` id="${anchorOf(topic)}"` : ""}>${formatInline(paragraph)}</p>\n`;
}

function groupView({ name, description }: ReferenceDocument["tags"][number], document: ReferenceDocument): Html {
  const operations = operationsOf(document).filter(({ operation }) => operation.tags.includes(name));
  return html`<section class="group" id="tag/${name}" aria-labelledby="${name}">
<h2 id="${name}">${capitalize(name)}</h2>
${prose(description)}
${operations.map((located) => operationView(located, document))}</section>
`;
}

function eventsView({ webhooks, components: { schemas, responses } }: ReferenceDocument): Html {
  const eventView = ([type, { post }]: [string, { readonly post: DocumentedOperation }]) => {
    const [[mediaType, media] = ["", undefined]] = Object.entries(post.requestBody?.content ?? {});
    const examples = Object.values(media?.examples ?? {}).map(({ value }) =>
      codeView(`${type}, ${mediaType}`, formatExample(value), "json"),
    );
    const about = html`<p class="route"><span class="method event">EVENT</span> <code>${type}</code></p>
${prose(post.description)}
<h4>Payload</h4>
${media ? bodyView(media, schemas) : ""}
<h4>Your response</h4>
${Object.entries(post.responses).map(([status, response]) => html`<p><span class="status">${status}</span> ${formatInline(resolveReference<Response>(response, responses).description)}</p>`)}`;
    return html`<section class="operation event" id="${type}" aria-labelledby="${type}-title">
<header><h3 id="${type}-title"><a href="#${type}">${post.summary}</a></h3><p class="badges">${stabilityBadge(post["x-stability-level"])}</p></header>
<div class="about">${about}</div>
<div class="shown">${examples}</div>
</section>
`;
  };
  return html`<section class="group" aria-labelledby="event-types"><h2 id="event-types">Event types</h2>
<p><a href="#listEvents">The list of events</a> contains these events. <a href="#createWebhook">Webhooks</a> receive them by <code>POST</code>, signed according to Standard Webhooks.</p>
${Object.entries(webhooks).map(eventView)}</section>
`;
}
