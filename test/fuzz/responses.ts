/** A response as it came over the wire. */
export interface WireResponse {
  readonly status: number;
  /** As they stand in the head, so that a name that comes twice is seen. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Bytes that no HTTP client would have to understand. */
export class MalformedResponse extends Error {}

/** Takes responses from a stream of bytes, one after the other, and is as strict about them as HTTP is. */
export class ResponseReader {
  #bytes: Buffer = Buffer.alloc(0);

  push(bytes: Uint8Array): void {
    this.#bytes = this.#bytes.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#bytes, bytes]);
  }

  /** What has arrived and was not taken yet. */
  get rest(): Buffer {
    return this.#bytes;
  }

  /** The next final response, if all of it is there. `isHead` tells that it answers a HEAD. Throws MalformedResponse. */
  next(isHead: boolean): WireResponse | undefined {
    for (;;) {
      const end = this.#bytes.indexOf("\r\n\r\n");
      if (end < 0) {
        if (this.#bytes.length > 0 && !startOf(this.#bytes))
          throw new MalformedResponse("It does not begin as a response.");
        return undefined;
      }
      const { status, headers } = parseHead(this.#bytes.toString("latin1", 0, end));
      const start = end + 4;
      if (status >= 100 && status < 200) {
        this.#bytes = this.#bytes.subarray(start);
        continue;
      }
      const hasBody = !isHead && status !== 204 && status !== 304;
      const length = hasBody ? bodyLength(headers) : 0;
      if (this.#bytes.length < start + length) return undefined;
      const body = this.#bytes.subarray(start, start + length);
      this.#bytes = this.#bytes.subarray(start + length);
      return { status, headers, body };
    }
  }
}

function startOf(bytes: Buffer): boolean {
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

/** The service knows the length of all that it sends. */
function bodyLength(headers: WireResponse["headers"]): number {
  const find = (wanted: string) => headers.filter(([name]) => name === wanted).map(([, value]) => value);
  if (find("transfer-encoding").length > 0) throw new MalformedResponse("It comes in chunks.");
  const [length, ...more] = find("content-length");
  if (more.length > 0) throw new MalformedResponse("It tells its length twice.");
  if (length !== undefined && !/^[0-9]{1,9}$/.test(length)) throw new MalformedResponse(`Its length is ${length}.`);
  if (length === undefined && find("connection")[0] !== "close")
    throw new MalformedResponse("It does not tell its length.");
  return Number(length ?? 0);
}
