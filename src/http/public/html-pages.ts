import { errorKinds } from "../../operations/errors.ts";
import { basePath } from "../../operations/operation.ts";
import { errorsPage } from "../../pages/errors-page.ts";
import { notFoundPage } from "../../pages/not-found-page.ts";
import { pageHeaders, pageType } from "../../pages/page.ts";
import type { WireRequest } from "../../wire/message.ts";
import { prefersHtml } from "../request/accept.ts";
import { encodedText, respondEncoded } from "../response/encoded.ts";
import type { HttpResponse } from "../response/http-response.ts";
import type { Endpoint } from "../route-parts.ts";
import { isRead } from "../router.ts";

/** The page that explains the errors, which exists even where the console was not built. */
export function errorsEndpoint(hasConsole: boolean): Endpoint {
  const page = encodedText(pageType, () => errorsPage(hasConsole));
  return ({ request }) => respondEncoded(request, page, { "Cache-Control": "no-cache", ...pageHeaders });
}

/** What search engines ask for first: they are to leave the API alone, which they have no key for. */
export function robotsEndpoint(): Endpoint {
  const text = encodedText("text/plain; charset=utf-8", () => `User-agent: *\nDisallow: ${basePath}/\n`);
  return ({ request }) => respondEncoded(request, text, { "Cache-Control": "no-cache" });
}

/** Where there is nothing: what a person sees. Undefined for a program, which is to get an Error body. */
export function notFoundFor(hasConsole: boolean): (request: WireRequest) => HttpResponse | undefined {
  const reply: HttpResponse = {
    status: errorKinds.NotFound.status,
    headers: { "Content-Type": pageType, "Cache-Control": "no-store", ...pageHeaders },
    body: notFoundPage(hasConsole),
  };
  return (request) => (isRead(request) && prefersHtml(request.headers.get("accept")) ? reply : undefined);
}
