import { methods } from "../../packages/client/src/methods.ts";
import { type Html, html, joinHtml } from "../base/html.ts";
import { type OperationAtPath, type Parameter, type ReferenceDocument, resolveReference } from "./document.ts";

export type Sample = ReturnType<typeof createSamples>[number];

export function createSamples(located: OperationAtPath, document: ReferenceDocument) {
  const request = buildRequest(located, document);
  return [
    { language: "curl", title: "curl", code: renderCurlSample(request) },
    { language: "client", title: "TypeScript client", code: renderClientSample(request) },
    { language: "fetch", title: "fetch", code: renderFetchSample(request) },
  ];
}

/** Returns the path of the API on the document's first server. */
export function basePathOf({ servers: [server] }: ReferenceDocument): string {
  return new URL(server?.url ?? "", defaultOrigin).pathname;
}

type SampleRequest = ReturnType<typeof buildRequest>;

function buildRequest({ method, path, operation }: OperationAtPath, document: ReferenceDocument) {
  const { servers, components } = document;
  const { operationId, requestBody, responses } = operation;
  const parameters = operation.parameters.map((parameter) =>
    resolveReference<Parameter>(parameter, components.parameters),
  );
  const pathParameters = parameters.filter((parameter) => parameter.in === "path");
  const examples = new Map(pathParameters.map(({ name, schema }) => [name, schema["example"] ?? 1]));
  const [type = "", media] = Object.entries(requestBody?.content ?? {}).at(-1) ?? [];
  const value = Object.values(media?.examples ?? {})[0]?.value;
  const [success] = Object.values(responses);
  const content = Object.keys((success && resolveReference(success, components.responses).content) ?? {});
  const isPaged = parameters.some(({ name }) => name === "cursor");
  return {
    operationId,
    method,
    origin: renderOrigin(servers[0]?.url ?? ""),
    path: basePathOf(document) + path.replace(/\{(\w+)\}/g, (_, name) => String(examples.get(name))),
    pathValues: [...examples.values()],
    // An optional body with an empty example is omitted.
    body: media && (requestBody?.required || Object.keys(value ?? {}).length > 0) ? { type, value } : undefined,
    resultKind: findResultKind(content, isPaged),
  };
}

function findResultKind(content: readonly string[], isPaged: boolean): "nothing" | "value" | "page" | "lines" {
  if (content.length === 0) return "nothing";
  if (content.includes("application/x-ndjson")) return "lines";
  return isPaged ? "page" : "value";
}

/** Returns the origin of a server, or a placeholder that the script replaces with the origin of the page. */
function renderOrigin(url: string): Html {
  return URL.canParse(url) ? html`${new URL(url).origin}` : html`<span class="origin">${defaultOrigin}</span>`;
}

const defaultOrigin = "http://127.0.0.1:8080";

function renderCurlSample({ method, origin, path, body, resultKind }: SampleRequest): Html {
  // Between single quotes, a shell interprets only the single quote.
  const data = JSON.stringify(body?.value ?? null).replaceAll("'", "'\\''");
  const isImplied = method === (body ? "POST" : "GET");
  const lines = [
    html`curl ${isImplied ? "" : `-X ${method} `}${origin}${path}`,
    html`-H "Authorization: Bearer $API_KEY"`,
    ...(body ? [html`-H "Content-Type: ${body.type}"`, html`-d '${data}'`] : []),
    ...(resultKind === "nothing" ? [html`-i`] : []),
  ];
  return joinHtml(lines, " \\\n  ");
}

function renderClientSample({ operationId, origin, pathValues, body, resultKind }: SampleRequest): Html {
  const { pets } = (body?.value ?? {}) as { readonly pets?: unknown };
  const args = [...pathValues, ...(body ? [operationId === "createPets" ? pets : body.value] : [])];
  const call = `store.${clientMethods.get(operationId)}(${args.map((value) => formatLiteral(value)).join(", ")})`;
  const usages = {
    nothing: `await ${call};`,
    value: `const result = await ${call};`,
    page: `for await (const item of ${call}) {\n  console.log(item);\n}`,
    lines: `for await (const item of await ${call}) {\n  console.log(item);\n}`,
  };
  return html`import { AnimalStore } from "@animal-store/client";

const store = new AnimalStore({
  baseUrl: "${origin}",
  apiKey: "ask_...",
});
${usages[resultKind]}`;
}

const clientMethods: ReadonlyMap<string, string> = new Map([
  ["createPets", "pets.createMany"],
  ["exportPets", "pets.export"],
  ["getInventory", "inventory.get"],
  ...Object.entries(methods).flatMap(([group, names]) =>
    Object.entries(names).map(([name, id]) => [id, `${group}.${name}`] as const),
  ),
]);

function renderFetchSample({ method, origin, path, body, resultKind }: SampleRequest): Html {
  const bodyLines = body
    ? html`    "Content-Type": ${JSON.stringify(body.type)},
  },
  body: JSON.stringify(${formatLiteral(body.value, "  ")}),`
    : html`  },`;
  const logArguments = {
    nothing: "response.status",
    value: "response.status, await response.json()",
    page: 'await response.json(), response.headers.get("Link")',
    lines: "await response.text()",
  };
  return html`const apiKey = "ask_...";
const response = await fetch("${origin}${path}", {
  method: "${method}",
  headers: {
    Authorization: "Bearer " + apiKey,
${bodyLines}
});
console.log(${logArguments[resultKind]});`;
}

/** Formats a value as JavaScript, on one line if it is short. JSON contains line breaks only between its tokens. */
function formatLiteral(value: unknown, indent = ""): string {
  const text = JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");
  const oneLine = text.replace(/(?<=\[)\n\s*|\n\s*(?=\])/g, "").replace(/\n\s*/g, " ");
  return oneLine.length <= 60 ? oneLine : text.replaceAll("\n", `\n${indent}`);
}
