import { copyDetached, type Fields, noFields, parseFields, tokenPattern } from "./fields.ts";

export interface Head {
  readonly method: string;
  /** The path and query as sent, with bytes beyond ASCII percent-encoded. */
  readonly target: string;
  readonly fields: Fields;
  readonly isHttp10: boolean;
  readonly length: number | "chunked";
  /** Present if the request cannot be handled. The start of the next request is then unknown. */
  readonly fault?: Fault;
}

export interface Fault {
  readonly kind: "malformed" | "fieldsTooLarge" | "unsupportedCoding" | "unsupportedVersion";
  readonly message: string;
}

export function createTooLargeHead(maxBytes: number): Head {
  const message = `The request line and the header fields are too large. Send at most ${maxBytes} bytes.`;
  return createFaultyHead("fieldsTooLarge", message);
}

const notHttpHead = createFaultyHead("malformed", "Send a request of HTTP/1.1, with lines that end with CRLF.");
const unsupportedVersionHead = createFaultyHead("unsupportedVersion", "Send the request with HTTP/1.1.");

/** True if the method is HEAD, whose response has no body even if the rest of the request is malformed. */
export function startsWithHeadMethod(input: Buffer, start: number): boolean {
  return input[start] === letterH && /^HEAD[^\w!#$%&'*+.^`|~-]/.test(input.toString("latin1", start, start + 5));
}

/** Returns a faulty head if an incomplete head can no longer become a valid one. The first `checkedBytes` are not checked again. */
export function checkIncompleteHead(input: Buffer, maxBytes: number, checkedBytes = 0): Head | undefined {
  // The last bytes may already belong to the empty line after the head.
  if (input.length - (emptyLine.length - 1) > maxBytes) return createTooLargeHead(maxBytes);
  const first = input[0];
  // No request starts with a control character, but a TLS handshake does.
  if (first !== undefined && (first <= space || first >= deleteCharacter) && !isHalfEmptyLine(input))
    return notHttpHead;
  for (let at = input.indexOf(lineFeed, checkedBytes); at >= 0; at = input.indexOf(lineFeed, at + 1)) {
    if (input[at - 1] !== carriageReturn) return notHttpHead;
  }
  return undefined;
}

export function isHalfEmptyLine(input: Buffer): boolean {
  return input.length === 1 && input[0] === carriageReturn;
}

/** Parses heads. Clients repeat the same fields on a connection, so the fields of the previous head are reused if they are equal. */
export class HeadReader {
  #lines = "";
  #fields: Fields = noFields;

  read(bytes: Buffer): Head {
    const text = bytes.toString("latin1");
    const lineEnd = text.indexOf("\r\n");
    // Decoded separately: a substring would keep the whole text in memory for as long as the page cache keeps the target.
    const line = lineEnd < 0 ? text : bytes.toString("latin1", 0, lineEnd);
    const methodEnd = line.indexOf(" ");
    const targetEnd = line.indexOf(" ", methodEnd + 1);
    if (methodEnd < 0 || targetEnd < 0) return notHttpHead;
    const method = line.slice(0, methodEnd);
    const target = line.slice(methodEnd + 1, targetEnd);
    const version = line.slice(targetEnd + 1);
    if (!commonMethods.has(method) && !tokenPattern.test(method)) return notHttpHead;
    const isHttp10 = version === "HTTP/1.0";
    // A newer minor version is read as HTTP/1.1 (RFC 9110, section 6.2).
    if (version !== "HTTP/1.1" && !isHttp10 && !/^HTTP\/1\.[2-9]$/.test(version))
      return /^HTTP\/[02-9]\.\d$/.test(version) ? unsupportedVersionHead : notHttpHead;
    const lines = lineEnd < 0 ? "" : text.slice(lineEnd + 2);
    if (lines !== this.#lines) {
      const fields = parseFields(lines);
      if (typeof fields === "string") return { ...createFaultyHead("malformed", fields), method };
      if (lines.length > maxReusableBytes) return validateHead(method, target, fields, isHttp10);
      this.#fields = fields;
      this.#lines = lines;
    }
    return validateHead(method, target, this.#fields, isHttp10);
  }
}

export const emptyLine = "\r\n\r\n";
export const carriageReturn = 0x0d;
export const lineFeed = 0x0a;
const letterH = 0x48;
const space = 0x20;
const deleteCharacter = 0x7f;

/** Limits the memory that the kept header lines of an idle connection occupy. */
const maxReusableBytes = 2 * 1024;

function validateHead(method: string, rawTarget: string, fields: Fields, isHttp10: boolean): Head {
  const target =
    rawTarget.startsWith("/") && plainTargetPattern.test(rawTarget) ? rawTarget : toOriginForm(method, rawTarget);
  const host = fields.get("host");
  const length = parseLength(fields, isHttp10);
  const failWith = (fault: Fault): Head => ({
    method,
    target: target ?? "",
    fields,
    isHttp10,
    length: 0,
    fault,
  });
  if (target === undefined)
    return { ...failWith(targetFault), target: rawTarget.startsWith("/") ? percentEncode(rawTarget) : "" };
  if (target.includes("#")) return failWith(fragmentFault);
  if (host === null ? !isHttp10 : !isValidHost(host)) return failWith(hostFault);
  if (typeof length === "object") return failWith(length);
  return { method, target, fields, isHttp10, length };
}

function toOriginForm(method: string, target: string): string | undefined {
  if (target === "*" && method === "OPTIONS") return target;
  if (!anyTargetPattern.test(target)) return undefined;
  if (target.startsWith("/")) return percentEncode(target);
  const [, authority = "", path = ""] = absoluteFormPattern.exec(target) ?? [];
  if (authority === "" || !isValidHost(authority)) return undefined;
  return percentEncode(path.startsWith("/") ? path : `/${path}`);
}

function percentEncode(target: string): string {
  return target.replace(/[^\x21-\x7e]/g, (byte) => `%${Buffer.from(byte, "latin1").toString("hex").toUpperCase()}`);
}

const plainTargetPattern = /^[\x21-\x7e]+$/;
const anyTargetPattern = /^[\x21-\x7e\x80-\xff]+$/;
/** A whole URL, which clients send to proxies and which every server must accept (RFC 9112). */
const absoluteFormPattern = /^https?:\/\/([^/?#]+)(.*)$/i;

/** Returns the length of the body, or a fault if another parser might find another length. */
function parseLength(fields: Fields, isHttp10: boolean): Head["length"] | Fault {
  const length = fields.get("content-length");
  const coding = fields.get("transfer-encoding");
  if (coding !== null) {
    if (isHttp10 || length !== null) return ambiguousLengthFault;
    return coding.toLowerCase() === "chunked" ? "chunked" : createCodingFault(coding);
  }
  if (length === null) return 0;
  // The values of a repeated field are joined by commas, so repeated lengths are malformed even if they are equal.
  if (!/^\d+$/.test(length)) return lengthFault;
  return Number.isSafeInteger(Number(length)) ? Number(length) : lengthFault;
}

/** Returns a fault: malformed for a list that is invalid or in which `chunked` is not last, unsupported for other codings. */
function createCodingFault(coding: string): Fault {
  const names = coding.split(",").map((part) => part.replace(/;.*/, "").trim().toLowerCase());
  const isMalformed = names.slice(0, -1).includes("chunked") || !names.every((name) => tokenPattern.test(name));
  return isMalformed ? createMalformedFault(codingMessage) : { kind: "unsupportedCoding", message: codingMessage };
}

/** True if the host is well-formed. Valid hosts are cached, because clients call a server by only a few names. */
function isValidHost(host: string): boolean {
  if (knownHosts.has(host)) return true;
  if (!hostPattern.test(host)) return false;
  if (knownHosts.size >= maxKnownHosts) knownHosts.clear();
  knownHosts.add(copyDetached(host));
  return true;
}

const knownHosts = new Set<string>();
const maxKnownHosts = 100;

/** A name, an IPv4 address, or an IPv6 address in brackets (RFC 3986), but no comma, which joins the values of repeated fields. */
const hostPattern = /^(?:(?:[\w.~!$&'()*+;=-]|%[\dA-Fa-f]{2})*|\[[\dA-Fa-f:.]+\])(?::\d{0,5})?$/;

const commonMethods: ReadonlySet<string> = new Set(["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const targetFault = createMalformedFault("Send a path, with or without a query, as the request target.");
const fragmentFault = createMalformedFault("Send the request target without a fragment (#).");
const hostFault = createMalformedFault("Send one Host header: a host name or an address, with or without a port.");
const lengthFault = createMalformedFault("Send one Content-Length header: a number of bytes.");
const ambiguousLengthFault = createMalformedFault(
  "Send either Content-Length or, with HTTP/1.1, Transfer-Encoding: chunked.",
);
const codingMessage = "Send the body with Content-Length or with Transfer-Encoding: chunked.";

function createMalformedFault(message: string): Fault {
  return { kind: "malformed", message };
}

function createFaultyHead(kind: Fault["kind"], message: string): Head {
  return { method: "", target: "", fields: noFields, isHttp10: false, length: 0, fault: { kind, message } };
}
