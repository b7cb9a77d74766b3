/** The parts of a request's address that matter here. */
export interface Address {
  readonly path: string;
  readonly query: string;
}

/** Splits by hand, because with a malformed `Host` the runtime gives a bare path, which no URL parser takes. */
export function parseAddress(url: string): Address {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
  const mark = url.indexOf("?", start);
  return mark < 0
    ? { path: url.slice(start), query: "" }
    : { path: url.slice(start, mark), query: url.slice(mark + 1) };
}
