import { type Fields, noFields, ownCopy, parseFields } from "./fields.ts";

/** What comes before the body of a request. */
export interface Head {
  readonly method: string;
  /** The path with the query, as it was sent; bytes beyond ASCII are percent-encoded. */
  readonly target: string;
  readonly fields: Fields;
  readonly isHttp10: boolean;
  /** How many bytes of body follow, or that they come in chunks. */
  readonly length: number | "chunked";
  /** Why it is no request that could be handled. What follows it on the connection cannot be told from the rest of it. */
  readonly fault?: Fault;
}

export interface Fault {
  readonly kind: "malformed" | "fieldsTooLarge" | "unsupportedCoding" | "unsupportedVersion";
  readonly message: string;
}

export function headTooLarge(maxBytes: number): Head {
  const message = `The request line and the header fields are too large. Send at most ${maxBytes} bytes.`;
  return faultyHead("fieldsTooLarge", message);
}

export const notHttp = faultyHead("malformed", "Send a request of HTTP/1.1, with lines that end with CRLF.");
const otherVersion = faultyHead("unsupportedVersion", "Send the request with HTTP/1.1.");

/** Whether what begins there is a HEAD, of which the response has no body, also if nothing more of it can be read. */
export function startsWithHead(input: Buffer, start: number): boolean {
  return input[start] === letterH && /^HEAD[^\w!#$%&'*+.^`|~-]/.test(input.toString("latin1", start, start + 5));
}

/** Whether a head that is not complete cannot become one. Its first bytes need no second look. */
export function faultIn(input: Buffer, maxBytes: number, seenBytes = 0): Head | undefined {
  // Its last bytes may belong to the empty line that ends it.
  if (input.length - (emptyLine.length - 1) > maxBytes) return headTooLarge(maxBytes);
  const first = input[0];
  // Such as the beginning of TLS.
  if (first !== undefined && (first <= space || first >= deleted) && !isHalfEmptyLine(input)) return notHttp;
  for (let feed = input.indexOf(lineFeed, seenBytes); feed >= 0; feed = input.indexOf(lineFeed, feed + 1)) {
    if (input[feed - 1] !== carriageReturn) return notHttp;
  }
  return undefined;
}

/** Whether it may be the first half of an empty line, which belongs to no head. */
export function isHalfEmptyLine(input: Buffer): boolean {
  return input.length === 1 && input[0] === carriageReturn;
}

/** Reads heads. Clients send the same fields again and again on a connection, and these are parsed only once. */
export class HeadReader {
  #lines = "";
  #fields: Fields = noFields;

  /** Takes all of it but the empty line at its end. */
  read(bytes: Buffer): Head {
    const text = bytes.toString("latin1");
    const lineEnd = text.indexOf("\r\n");
    // A part of a text keeps the whole of it in memory, and the target may be kept for long.
    const line = lineEnd < 0 ? text : bytes.toString("latin1", 0, lineEnd);
    const methodEnd = line.indexOf(" ");
    const targetEnd = line.indexOf(" ", methodEnd + 1);
    if (methodEnd < 0 || targetEnd < 0) return notHttp;
    const method = line.slice(0, methodEnd);
    const target = line.slice(methodEnd + 1, targetEnd);
    const version = line.slice(targetEnd + 1);
    if (!commonMethods.has(method) && !methodPattern.test(method)) return notHttp;
    const isHttp10 = version === "HTTP/1.0";
    // A newer minor version is read as HTTP/1.1 (RFC 9110, section 6.2).
    if (version !== "HTTP/1.1" && !isHttp10 && !/^HTTP\/1\.[2-9]$/.test(version))
      return /^HTTP\/[02-9]\.\d$/.test(version) ? otherVersion : notHttp;
    const lines = lineEnd < 0 ? "" : text.slice(lineEnd + 2);
    if (lines !== this.#lines) {
      const fields = parseFields(lines);
      if (typeof fields === "string") return { ...faultyHead("malformed", fields), method };
      if (lines.length > maxRememberedBytes) return headOf(method, target, fields, isHttp10);
      this.#fields = fields;
      this.#lines = lines;
    }
    return headOf(method, target, this.#fields, isHttp10);
  }
}

/** With the end of the line before it. */
export const emptyLine = "\r\n\r\n";
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const letterH = 0x48;
const space = 0x20;
const deleted = 0x7f;

/** An idle connection is to hold little. */
const maxRememberedBytes = 2 * 1024;

function headOf(method: string, given: string, fields: Fields, isHttp10: boolean): Head {
  const target = given.startsWith("/") && plainTarget.test(given) ? given : originForm(method, given);
  const host = fields.get("host");
  const length = lengthOf(fields, isHttp10);
  const faulty = (fault: Fault): Head => ({ method, target: target ?? "", fields, isHttp10, length: 0, fault });
  if (target === undefined) return { ...faulty(wrongTarget), target: given.startsWith("/") ? encoded(given) : "" };
  if (target.includes("#")) return faulty(fragment);
  if (host === null ? !isHttp10 : !isKnownHost(host)) return faulty(wrongHost);
  if (typeof length === "object") return faulty(length);
  return { method, target, fields, isHttp10, length };
}

/** The path and query of a target that is a whole URL or has unusual characters in it; undefined if the target is malformed. */
function originForm(method: string, target: string): string | undefined {
  if (target === wholeServer && method === "OPTIONS") return target;
  if (!anyTarget.test(target)) return undefined;
  if (target.startsWith("/")) return encoded(target);
  const [, authority = "", path = ""] = absoluteForm.exec(target) ?? [];
  if (authority === "" || !isKnownHost(authority)) return undefined;
  return encoded(path.startsWith("/") ? path : `/${path}`);
}

function encoded(target: string): string {
  return target.replace(
    /[^\x21-\x7e]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}

/** The target of a request about the server as a whole. */
const wholeServer = "*";
const plainTarget = /^[\x21-\x7e]+$/;
const anyTarget = /^[\x21-\x7e\x80-\xff]+$/;
/** A whole URL, which clients send to proxies and which every server must accept (RFC 9112). */
const absoluteForm = /^https?:\/\/([^/?#]+)(.*)$/i;

/** Returns the length of the body, or a fault if another parser might find another length. */
function lengthOf(fields: Fields, isHttp10: boolean): Head["length"] | Fault {
  const length = fields.get("content-length");
  const coding = fields.get("transfer-encoding");
  if (coding !== null) {
    if (isHttp10 || length !== null) return ambiguousLength;
    return coding.toLowerCase() === "chunked" ? "chunked" : faultOfCoding(coding);
  }
  if (length === null) return 0;
  // The values of a repeated field are joined by commas, so repeated lengths are malformed even if they are equal.
  if (!/^\d+$/.test(length)) return wrongLength;
  return Number.isSafeInteger(Number(length)) ? Number(length) : wrongLength;
}

/** A coding that the service does not know is unsupported; a list is malformed if `chunked` is in it before the end. */
function faultOfCoding(coding: string): Fault {
  const names = coding.split(",").map((one) => one.replace(/;.*/, "").trim().toLowerCase());
  const isMalformed = names.slice(0, -1).includes("chunked") || !names.every((name) => methodPattern.test(name));
  return isMalformed ? malformed(useChunked) : { kind: "unsupportedCoding", message: useChunked };
}

/** Hardly any server is called by more than a few names, so that a look at each is enough. */
function isKnownHost(host: string): boolean {
  if (knownHosts.has(host)) return true;
  if (!hostPattern.test(host)) return false;
  if (knownHosts.size >= maxKnownHosts) knownHosts.clear();
  knownHosts.add(ownCopy(host));
  return true;
}

const knownHosts = new Set<string>();
const maxKnownHosts = 100;

/** A name, an address of version 4 or one of version 6 in brackets (RFC 3986), but no comma, which joins two fields. */
const hostPattern = /^(?:(?:[\w.~!$&'()*+;=-]|%[\dA-Fa-f]{2})*|\[[\dA-Fa-f:.]+\])(?::\d{0,5})?$/;

const commonMethods: ReadonlySet<string> = new Set(["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const methodPattern = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

const wrongTarget = malformed("Send a path, with or without a query, as the request target.");
const fragment = malformed("Send the request target without a fragment (#).");
const wrongHost = malformed("Send one Host header: a host name or an address, with or without a port.");
const wrongLength = malformed("Send one Content-Length header: a number of bytes.");
const ambiguousLength = malformed("Send either Content-Length or, with HTTP/1.1, Transfer-Encoding: chunked.");
const useChunked = "Send the body with Content-Length or with Transfer-Encoding: chunked.";

function malformed(message: string): Fault {
  return { kind: "malformed", message };
}

function faultyHead(kind: Fault["kind"], message: string): Head {
  return { method: "", target: "", fields: noFields, isHttp10: false, length: 0, fault: { kind, message } };
}
