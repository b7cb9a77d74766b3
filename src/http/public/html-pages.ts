import { errorKinds } from "../../operations/errors.ts";
import { basePath } from "../../operations/operation.ts";
import { renderErrorsPage } from "../../pages/errors-page.ts";
import { renderNotFoundPage } from "../../pages/not-found-page.ts";
import { htmlMediaType, pageHeaders } from "../../pages/page.ts";
import type { WireRequest } from "../../wire/message.ts";
import { prefersHtml } from "../request/accept.ts";
import { createCompressedText, respondCompressed } from "../response/compressed.ts";
import type { HttpResponse } from "../response/http-response.ts";
import type { Endpoint } from "../route-parts.ts";
import { isRead } from "../router.ts";
import { createDocumentEndpoint, type DocumentSource } from "./document.ts";
import { revalidatedHeaders, type WebFiles } from "./web-files.ts";

export function createErrorsEndpoint(hasConsole: boolean): Endpoint {
  const page = createCompressedText(htmlMediaType, () => renderErrorsPage(hasConsole));
  return ({ request }) => respondCompressed(request, page, { "Cache-Control": "no-cache", ...pageHeaders });
}

/** Creates the endpoint that tells search engines to ignore the API, for which they have no key. */
export function createRobotsEndpoint(): Endpoint {
  const text = createCompressedText("text/plain; charset=utf-8", () => `User-agent: *\nDisallow: ${basePath}/\n`);
  return ({ request }) => respondCompressed(request, text, { "Cache-Control": "no-cache" });
}

/** Returns a function that returns an HTML page for a browser, and undefined for a program, which gets an Error body instead. */
export function createNotFoundResponder(hasConsole: boolean): (request: WireRequest) => HttpResponse | undefined {
  const response: HttpResponse = {
    status: errorKinds.NotFound.status,
    headers: { "Content-Type": htmlMediaType, "Cache-Control": "no-store", ...pageHeaders },
    body: renderNotFoundPage(hasConsole),
  };
  return (request) => (isRead(request) && prefersHtml(request.headers.get("accept")) ? response : undefined);
}

export function createReferenceEndpoint(source: DocumentSource, files: WebFiles): Endpoint {
  const [script, style, icon] = assetNames.map((name) => {
    const path = findAsset(name, files);
    if (!path) throw new Error(`The pages lack ${name}.`);
    return path;
  }) as [string, string, string];
  return createDocumentEndpoint(source, htmlMediaType, revalidatedHeaders, (operations, addresses) =>
    source.renderReference(operations, addresses, { script, style, icon }),
  );
}

export function findMissingAssets(files: WebFiles): string[] {
  return assetNames.filter((name) => findAsset(name, files) === undefined);
}

const assetNames = ["reference.js", "reference.css", "icon.svg"];

function findAsset(name: string, files: WebFiles): string | undefined {
  const [stem, extension] = name.split(".");
  const pattern = new RegExp(`/${stem}-\\w+\\.${extension}$`);
  return Object.keys(files).find((path) => pattern.test(path));
}
