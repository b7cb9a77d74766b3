import type { Exchange } from "../exchange.ts";
import { contentOf, type EncodedContent, type Encoding, encodedReply } from "../reply/encoded.ts";
import type { Reply } from "../reply/reply.ts";
import { requireRead } from "../router.ts";

/** A file for browsers: its type, and where its content is, as it is and compressed. */
export interface PageFile {
  readonly type: string;
  readonly identity: string;
  readonly gzip: string;
  readonly br: string;
}

/** The files by the path at which they are found. */
export type PageFiles = Readonly<Record<string, PageFile>>;

/** What people see in a browser: the console, and what its pages and the reference load. */
export class Pages {
  readonly #contents = new Map<string, Promise<EncodedContent>>();

  constructor(readonly files: PageFiles) {}

  get paths(): string[] {
    return Object.keys(this.files);
  }

  /** At one of the paths. Throws MethodNotAllowed. */
  answer(request: Request, path: string): Promise<Reply> {
    const file = this.files[path];
    if (!file) throw new Error(`There is no page at ${path}.`);
    requireRead(request);
    const content = { type: file.type, in: (encoding: Encoding) => this.#read(file[encoding]) };
    const headers = path.startsWith(assets) ? { ...revalidated, "Cache-Control": forever } : revalidated;
    return encodedReply(request, content, headers, shared);
  }

  /** Kept once it was read, since there are few and they do not change. */
  #read(place: string): Promise<EncodedContent> {
    let content = this.#contents.get(place);
    if (!content) {
      content = Bun.file(place).bytes().then(contentOf);
      this.#contents.set(place, content);
      // What could not be read now may be there the next time.
      content.catch(() => this.#contents.delete(place));
    }
    return content;
  }
}

/** Whether people type the path, and may end it with a slash: it is that of a page, and not of a file that pages load. */
export function isTyped(path: string): boolean {
  return path !== "/" && !path.includes(".");
}

/** Leads from a path that ends with a slash to the page. Throws MethodNotAllowed. */
export function withoutSlash({ request, query }: Exchange, path: string): Reply {
  requireRead(request);
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

const shared = new Headers();
