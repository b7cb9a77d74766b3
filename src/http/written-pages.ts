import { EncodedText, encodedReply } from "./encoded.ts";
import { errorsPage } from "./html/errors-page.ts";
import { pageHeaders, pageType } from "./html/page.ts";
import type { Reply } from "./reply.ts";
import { methodNotAllowed } from "./router.ts";

/** The pages that the service writes by itself, which are there also where those of the console were not built. */
export class WrittenPages {
  readonly #pages: ReadonlyMap<string, EncodedText> = new Map([
    ["/docs/errors", new EncodedText(pageType, errorsPage)],
  ]);

  get paths(): Iterable<string> {
    return this.#pages.keys();
  }

  /** At one of the paths. Throws MethodNotAllowed. */
  answer(request: Request, path: string): Promise<Reply> {
    const page = this.#pages.get(path);
    if (!page) throw new Error(`There is no page at ${path}.`);
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(request.method, ["GET"]);
    return encodedReply(request, page, { "Cache-Control": "no-cache", ...pageHeaders });
  }
}
