export interface WireResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** True if the body continues as long as the connection is open. */
  readonly isEndless?: boolean;
}

export class MalformedResponse extends Error {}

/** Parses responses strictly, from a stream of bytes. */
export class ResponseReader {
  #bytes: Buffer = Buffer.alloc(0);
  /** The buffer behind `#bytes`, which has spare room because a long body arrives in very many pieces. */
  #buffer: Buffer = Buffer.alloc(0);

  push(bytes: Uint8Array): void {
    const length = this.#bytes.length + bytes.length;
    if (length > this.#buffer.length) {
      this.#buffer = Buffer.alloc(length === bytes.length ? length : 2 * length);
      this.#bytes.copy(this.#buffer);
    }
    this.#buffer.set(bytes, this.#bytes.length);
    this.#bytes = this.#buffer.subarray(0, length);
  }

  get hasBegun(): boolean {
    return this.#bytes.includes("\r\n\r\n");
  }

  get rest(): Buffer {
    return this.#bytes;
  }

  /** Returns the next complete final response. `isEnded` is true if no more bytes will arrive. Throws MalformedResponse. */
  next(isHead: boolean, isEnded = false): WireResponse | undefined {
    for (;;) {
      const end = this.#bytes.indexOf("\r\n\r\n");
      if (end < 0) {
        if (this.#bytes.length > 0 && !isResponseStart(this.#bytes))
          throw new MalformedResponse("It does not begin as a response.");
        return undefined;
      }
      const { status, headers } = parseHead(this.#bytes.toString("latin1", 0, end));
      const start = end + 4;
      if (status >= 100 && status < 200) {
        this.#discard(start);
        continue;
      }
      const hasBody = !isHead && status !== 204 && status !== 304;
      const isEndless = hasBody && headers.some(([name, value]) => name === "content-type" && value === eventStream);
      const parsed = hasBody && !isEndless ? parseBody(this.#bytes.subarray(start), headers, isEnded) : emptyBody;
      if (!parsed) return undefined;
      this.#discard(isEndless ? this.#bytes.length : start + parsed.length);
      return { status, headers, body: parsed.body, isEndless };
    }
  }

  #discard(length: number): void {
    this.#bytes = this.#bytes.subarray(length);
    this.#buffer = this.#buffer.subarray(length);
  }
}

function isResponseStart(bytes: Buffer): boolean {
  const opening = "HTTP/1.1 ";
  return opening.startsWith(bytes.toString("latin1", 0, opening.length));
}

function parseHead(text: string): Omit<WireResponse, "body"> {
  const [statusLine = "", ...lines] = text.split("\r\n");
  const status = /^HTTP\/1\.1 ([1-5][0-9]{2}) [\x20-\x7e]+$/.exec(statusLine)?.[1];
  if (status === undefined) throw new MalformedResponse(`The status line is ${JSON.stringify(statusLine)}.`);
  const headers = lines.map((line): [string, string] => {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/.exec(line);
    if (!match) throw new MalformedResponse(`A header is ${JSON.stringify(line)}.`);
    return [(match[1] ?? "").toLowerCase(), match[2] ?? ""];
  });
  return { status: Number(status), headers };
}

const eventStream = "text/event-stream";
const emptyBody: ParsedBody = { body: Buffer.alloc(0), length: 0 };

interface ParsedBody {
  readonly body: Buffer;
  readonly length: number;
}

/** Returns the body at the start of the bytes; undefined if it is incomplete. A body without a length ends with the connection. */
function parseBody(bytes: Buffer, headers: WireResponse["headers"], isEnded: boolean): ParsedBody | undefined {
  const valuesOf = (wanted: string) => headers.filter(([name]) => name === wanted).map(([, value]) => value);
  const [encoding, ...encodings] = valuesOf("transfer-encoding");
  const [length, ...moreLengths] = valuesOf("content-length");
  if (encodings.length + moreLengths.length > 0 || (encoding !== undefined && length !== undefined)) {
    throw new MalformedResponse("It states its length twice.");
  }
  if (encoding !== undefined && encoding !== "chunked") throw new MalformedResponse(`It is encoded as ${encoding}.`);
  if (encoding !== undefined) return parseChunks(bytes);
  if (length === undefined) return isEnded ? { body: bytes, length: bytes.length } : undefined;
  if (!/^[0-9]{1,9}$/.test(length)) throw new MalformedResponse(`Its length is ${length}.`);
  const end = Number(length);
  return bytes.length < end ? undefined : { body: bytes.subarray(0, end), length: end };
}

function parseChunks(bytes: Buffer): ParsedBody | undefined {
  const chunks: Buffer[] = [];
  for (let position = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", position);
    if (lineEnd < 0) return undefined;
    const digits = bytes.toString("latin1", position, lineEnd);
    if (!/^[0-9a-fA-F]{1,7}$/.test(digits))
      throw new MalformedResponse(`A chunk begins with ${JSON.stringify(digits)}.`);
    const start = lineEnd + 2;
    const end = start + Number.parseInt(digits, 16);
    if (bytes.length < end + 2) return undefined;
    if (bytes.toString("latin1", end, end + 2) !== "\r\n") throw new MalformedResponse("A chunk does not end.");
    if (end === start) return { body: Buffer.concat(chunks), length: end + 2 };
    chunks.push(bytes.subarray(start, end));
    position = end + 2;
  }
}
