import type { Exchange } from "../exchange.ts";
import { Encoded, respondEncoded } from "../response/encoded.ts";
import { HeaderBlock } from "../response/header-block.ts";
import type { HttpResponse } from "../response/http-response.ts";
import type { Endpoint } from "../route-parts.ts";

/** A file for browsers: its type, and where its content is, as it is and compressed. */
export interface WebFile {
  readonly type: string;
  readonly identity: string;
  readonly gzip: string;
  readonly br: string;
}

/** The files by the path at which they are found. */
export type WebFiles = Readonly<Record<string, WebFile>>;

/** What people see in a browser: the console, and what its pages and the reference load. */
export function fileEndpoint(file: WebFile, path: string): Endpoint {
  // Kept once it was read, since there are few and they do not change.
  const content = new Encoded(file.type, (encoding) => Bun.file(file[encoding]).bytes());
  const headers = path.startsWith(assets) ? { ...revalidated, "Cache-Control": forever } : revalidated;
  return ({ request }) => respondEncoded(request, content, headers, noneShared);
}

/** Whether people type the path, and may end it with a slash: it is that of a page, and not of a file that pages load. */
export function isTyped(path: string): boolean {
  return path !== "/" && !path.includes(".");
}

/** Leads from a path that ends with a slash to the page. */
export function withoutSlash({ query }: Exchange, path: string): HttpResponse {
  // Relative, because a proxy may have put something before the path.
  const page = `../${path.slice(path.lastIndexOf("/") + 1)}`;
  return { status: 308, headers: { Location: query === "" ? page : `${page}?${query}` }, body: null };
}

/** What is there has its hash in its name, so that it never changes. */
const assets = "/assets/";
const forever = "public, max-age=31536000, immutable";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What a page is sent with: it loads nothing but files of its own origin, and is always asked for again. */
export const revalidated = {
  "Cache-Control": "no-cache",
  "Content-Security-Policy": policy,
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** These pages have headers of their own for all that the answers of the API share. */
const noneShared = new HeaderBlock({});
