import { promisify } from "node:util";
import type { WireRequest } from "../../wire/message.ts";
import { elementsOf, weightOf } from "../request/header-fields.ts";
import { etagOf, matchesIfNoneMatch } from "./conditional.ts";
import type { HeaderBlock } from "./header-block.ts";
import type { HttpResponse } from "./http-response.ts";

/** How a content can be sent, the best first. */
type Encoding = "br" | "gzip" | "identity";

/** A content in one encoding, which has an ETag of its own. */
interface EncodedContent {
  readonly body: Uint8Array;
  readonly etag: string;
}

/** What is sent to anybody, in the encoding that each takes: it is made when somebody first asks for it, once for all. */
export class Encoded {
  readonly #contents = new Map<Encoding, Promise<EncodedContent>>();

  constructor(
    readonly type: string,
    readonly make: (encoding: Encoding) => Promise<Uint8Array<ArrayBuffer>>,
  ) {}

  in(encoding: Encoding): Promise<EncodedContent> {
    let content = this.#contents.get(encoding);
    if (!content) {
      content = this.make(encoding).then((bytes) => ({ body: bytes, etag: etagOf(bytes) }));
      this.#contents.set(encoding, content);
      // What could not be read now may be there the next time.
      content.catch(() => this.#contents.delete(encoding));
    }
    return content;
  }
}

/** A text of the service's own, which is written when somebody first asks for it. */
export function encodedText(type: string, write: () => string): Encoded {
  let text: string | undefined;
  return new Encoded(type, (encoding) => {
    text ??= write();
    return compressors[encoding](text);
  });
}

/** The content as the client takes it, or that it is what the client has already. */
export async function respondEncoded(
  { headers: sent }: WireRequest,
  content: Encoded,
  headers: Readonly<Record<string, string>>,
  shared?: HeaderBlock,
): Promise<HttpResponse> {
  const encoding = encodingFor(sent.get("accept-encoding"));
  const { body, etag } = await content.in(encoding);
  const common = { ETag: etag, Vary: "Accept-Encoding", ...headers };
  const rest = shared && { shared };
  if (matchesIfNoneMatch(sent.get("if-none-match"), etag)) return { status: 304, headers: common, ...rest, body: null };
  const ofBody = { "Content-Type": content.type, ...(encoding !== "identity" && { "Content-Encoding": encoding }) };
  return { status: 200, headers: { ...ofBody, ...common }, ...rest, body };
}

/** The best that the client takes. */
function encodingFor(accepted: string | null): Encoding {
  const encodings = elementsOf(accepted);
  if (weightOf("br", encodings) > 0) return "br";
  return weightOf("gzip", encodings) > 0 ? "gzip" : "identity";
}

/**
 * In another thread, so that no request waits for it; the highest quality levels take longest. What compresses is loaded when it is
 * needed first, so that the service starts sooner.
 */
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
