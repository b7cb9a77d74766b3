/** Keeps the id that a client or a proxy gave the request, if it is fit for a header and a log. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given && /^[A-Za-z0-9._:+/=-]{1,128}$/.test(given) ? given : crypto.randomUUID();
}
