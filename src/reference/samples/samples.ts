import { type Html, html } from "../../base/html.ts";
import { type Parameter, type PlacedOperation, type ReferenceDocument, resolved } from "../document.ts";
import { clientSample } from "./client-sample.ts";
import { curlSample } from "./curl-sample.ts";
import { fetchSample } from "./fetch-sample.ts";
import type { SampleRequest } from "./sample-request.ts";

export interface Sample {
  readonly language: "curl" | "client" | "fetch";
  readonly title: string;
  readonly code: Html;
}

export function samplesOf(placed: PlacedOperation, document: ReferenceDocument): Sample[] {
  const request = requestOf(placed, document);
  const ofClient = clientSample(request);
  return [
    { language: "curl", title: "curl", code: curlSample(request) },
    ...(ofClient ? [{ language: "client", title: "TypeScript client", code: ofClient } as const] : []),
    { language: "fetch", title: "fetch", code: fetchSample(request) },
  ];
}

/** The path under which the document's first server has the interface. */
export function basePathOf({ servers: [server] }: ReferenceDocument): string {
  return new URL(server?.url ?? "", defaultOrigin).pathname;
}

function requestOf({ method, path, operation }: PlacedOperation, document: ReferenceDocument): SampleRequest {
  const { servers, components } = document;
  const { operationId, requestBody, responses } = operation;
  const parameters = operation.parameters.map((parameter) => resolved<Parameter>(parameter, components.parameters));
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const examples = new Map(inPath.map(({ name, schema }) => [name, schema["example"] ?? 1]));
  const [type = "", media] = Object.entries(requestBody?.content ?? {}).at(-1) ?? [];
  const value = Object.values(media?.examples ?? {})[0]?.value;
  const [success] = Object.values(responses);
  const content = Object.keys((success && resolved(success, components.responses).content) ?? {});
  const isPaged = parameters.some(({ name }) => name === "cursor");
  return {
    operationId,
    method,
    origin: originOf(servers[0]?.url ?? ""),
    path: basePathOf(document) + path.replace(/\{(\w+)\}/g, (_, name) => String(examples.get(name))),
    arguments: [...examples.values()],
    // A body that may be left out, and has nothing in its example, is left out.
    body: media && (requestBody?.required || !isEmpty(value)) ? { type, value } : undefined,
    answer: answerOf(content, isPaged),
  };
}

function answerOf(content: readonly string[], isPaged: boolean): SampleRequest["answer"] {
  if (content.length === 0) return "nothing";
  if (content.includes("application/x-ndjson")) return "lines";
  return isPaged ? "pages" : "value";
}

/** The script puts the page's own origin in the place of one that is not known here. */
function originOf(url: string): Html {
  return URL.canParse(url) ? html`${new URL(url).origin}` : html`<span class="origin">${defaultOrigin}</span>`;
}

const defaultOrigin = "http://127.0.0.1:8080";

function isEmpty(value: unknown): boolean {
  return typeof value !== "object" || value === null || Object.keys(value).length === 0;
}
