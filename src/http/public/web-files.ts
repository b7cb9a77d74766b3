import { isolationHeaders } from "../../pages/page.ts";
import type { Exchange } from "../exchange.ts";
import { CompressedContent, respondCompressed } from "../response/compressed.ts";
import type { HttpResponse } from "../response/http-response.ts";
import type { Endpoint } from "../route-parts.ts";

/** The media type of a file for browsers, and the path of its content in each encoding. */
export interface WebFile {
  readonly type: string;
  readonly identity: string;
  readonly gzip: string;
  readonly br: string;
}

export type WebFiles = Readonly<Record<string, WebFile>>;

export function createFileEndpoint(file: WebFile, path: string): Endpoint {
  // The content stays in memory once it is read, because the files are few and never change.
  const content = new CompressedContent(file.type, (encoding) => Bun.file(file[encoding]).bytes());
  const headers = path.startsWith(assetPrefix)
    ? { ...revalidatedHeaders, "Cache-Control": immutableCacheControl }
    : revalidatedHeaders;
  return ({ request }) => respondCompressed(request, content, headers);
}

/** True for an HTML page, whose path people may type with a trailing slash; false for files that HTML pages load. */
export function isHtmlPagePath(path: string): boolean {
  return path !== "/" && !path.includes(".");
}

export function redirectWithoutSlash({ query }: Exchange, path: string): HttpResponse {
  // A relative URL, because a proxy may add a prefix to the path.
  const relativeUrl = `../${path.slice(path.lastIndexOf("/") + 1)}`;
  return { status: 308, headers: { Location: query === "" ? relativeUrl : `${relativeUrl}?${query}` }, body: null };
}

/** Files below this path have a hash of their content in their name. */
const assetPrefix = "/assets/";
const immutableCacheControl = "public, max-age=31536000, immutable";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The headers of HTML pages, which load only files of their own origin, and which browsers revalidate on each visit. */
export const revalidatedHeaders = {
  "Cache-Control": "no-cache",
  "Content-Security-Policy": policy,
  ...isolationHeaders,
};
