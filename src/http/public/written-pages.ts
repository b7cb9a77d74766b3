import { errorKinds } from "../../operations/errors.ts";
import { errorsPage } from "../../pages/errors-page.ts";
import { notFoundPage } from "../../pages/not-found-page.ts";
import { pageHeaders, pageType } from "../../pages/page.ts";
import { EncodedText, encodedReply } from "../reply/encoded.ts";
import type { Reply } from "../reply/reply.ts";
import { prefersHtml } from "../request/prefers-html.ts";
import { isRead, requireRead } from "../router.ts";

/** The pages that the service generates itself, which exist even where the console was not built. */
export class WrittenPages {
  readonly #pages: ReadonlyMap<string, EncodedText>;
  readonly #notFound: Reply;

  constructor(hasConsole: boolean) {
    this.#pages = new Map([["/docs/errors", new EncodedText(pageType, () => errorsPage(hasConsole))]]);
    this.#notFound = {
      status: errorKinds.NotFound.status,
      headers: { "Content-Type": pageType, "Cache-Control": "no-store", ...pageHeaders },
      body: notFoundPage(hasConsole),
    };
  }

  get paths(): Iterable<string> {
    return this.#pages.keys();
  }

  /** At one of the paths. Throws MethodNotAllowed. */
  answer(request: Request, path: string): Promise<Reply> {
    const page = this.#pages.get(path);
    if (!page) throw new Error(`There is no page at ${path}.`);
    requireRead(request);
    return encodedReply(request, page, { "Cache-Control": "no-cache", ...pageHeaders });
  }

  /** Where there is nothing: what a person sees. Undefined for a program, which is to get an Error body. */
  notFound(request: Request): Reply | undefined {
    return isRead(request) && prefersHtml(request.headers.get("accept")) ? this.#notFound : undefined;
  }
}
