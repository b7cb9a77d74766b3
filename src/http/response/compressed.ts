import { promisify } from "node:util";
import type { WireRequest } from "../../wire/message.ts";
import { findQuality, parseList } from "../request/header-fields.ts";
import { computeEtag, matchesIfNoneMatch } from "./conditional.ts";
import type { HeaderFields, HttpResponse } from "./http-response.ts";

type Encoding = "br" | "gzip" | "identity";

/** Public content. Each encoding is computed when a client first accepts it, and then kept. */
export class CompressedContent {
  readonly #bodies = new Map<Encoding, Promise<{ body: Uint8Array; etag: string }>>();

  constructor(
    readonly type: string,
    readonly encode: (encoding: Encoding) => Promise<Uint8Array<ArrayBuffer>>,
  ) {}

  getEncoded(encoding: Encoding): Promise<{ body: Uint8Array; etag: string }> {
    return this.#bodies.getOrInsertComputed(encoding, () => {
      const encoded = this.encode(encoding).then((body) => ({ body, etag: computeEtag(body) }));
      // A file that cannot be read now may be readable at the next request.
      encoded.catch(() => this.#bodies.delete(encoding));
      return encoded;
    });
  }
}

export function createCompressedText(type: string, render: () => string): CompressedContent {
  let text: string | undefined;
  return new CompressedContent(type, (encoding) => {
    text ??= render();
    return compressors[encoding](text);
  });
}

export async function respondCompressed(
  { headers: requestHeaders }: WireRequest,
  content: CompressedContent,
  headers: HeaderFields,
): Promise<HttpResponse> {
  const encoding = chooseEncoding(requestHeaders.get("accept-encoding"));
  const { body, etag } = await content.getEncoded(encoding);
  const common = { ETag: etag, Vary: "Accept-Encoding", ...headers };
  if (matchesIfNoneMatch(requestHeaders.get("if-none-match"), etag))
    return { status: 304, headers: common, body: null };
  const encodingHeader = encoding !== "identity" && { "Content-Encoding": encoding };
  return { status: 200, headers: { "Content-Type": content.type, ...encodingHeader, ...common }, body };
}

function chooseEncoding(acceptEncoding: string | null): Encoding {
  const encodings = parseList(acceptEncoding);
  if (findQuality("br", encodings) > 0) return "br";
  return findQuality("gzip", encodings) > 0 ? "gzip" : "identity";
}

/** Compressors that run in other threads, so that no request waits. Brotli's best level would take too long. zlib is loaded lazily. */
const compressors: Readonly<Record<Encoding, (text: string) => Promise<Uint8Array<ArrayBuffer>>>> = {
  async br(text) {
    const { brotliCompress, constants } = await import("node:zlib");
    return await promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } });
  },
  async gzip(text) {
    const { gzip } = await import("node:zlib");
    return await promisify(gzip)(text, { level: 9 });
  },
  identity: async (text) => new TextEncoder().encode(text),
};
