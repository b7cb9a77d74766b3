/**
 * Decodes the chunked transfer coding (RFC 9112, section 7.1). Rejects lines that parsers may end at different bytes: a proxy and this
 * service could then disagree about where the next request starts (request smuggling). For the same reason, blanks beside delimiters are
 * malformed, although the RFC tolerates them. Extensions and trailers are checked, and then ignored.
 */
export class ChunkedDecoder {
  chunkCount = 0;
  #state: "size" | "data" | "dataEnd" | "trailer" | "end" = "size";
  #line = "";
  #remainingChunkBytes = 0;
  #overheadBytes = 0;

  get isComplete(): boolean {
    return this.#state === "end";
  }

  /** Returns the number of bytes that belong to the body. Throws MalformedChunks. */
  decode(bytes: Buffer, onData: (piece: Buffer) => void): number {
    let at = 0;
    while (at < bytes.length && this.#state !== "end") {
      if (this.#state === "data") {
        const piece = bytes.subarray(at, at + this.#remainingChunkBytes);
        onData(piece);
        at += piece.length;
        this.#remainingChunkBytes -= piece.length;
        if (this.#remainingChunkBytes === 0) this.#state = "dataEnd";
      } else {
        at = this.#readLine(bytes, at);
      }
    }
    return at;
  }

  #readLine(bytes: Buffer, from: number): number {
    const lineFeedAt = bytes.indexOf(lineFeed, from);
    const end = lineFeedAt < 0 ? bytes.length : lineFeedAt;
    if (this.#line.length + end - from > maxLineBytes) throw new MalformedChunks();
    this.#line += bytes.toString("latin1", from, end);
    if (lineFeedAt < 0) return end;
    const line = this.#line;
    this.#line = "";
    if (!line.endsWith("\r")) throw new MalformedChunks();
    this.#processLine(line.slice(0, -1));
    return lineFeedAt + 1;
  }

  #processLine(line: string): void {
    if (this.#state === "size") {
      const digits = sizePattern.exec(line)?.[1];
      if (digits === undefined) throw new MalformedChunks();
      const size = Number.parseInt(digits, 16);
      this.#remainingChunkBytes = size;
      this.#countOverhead(line.length - size.toString(16).length);
      this.#state = size === 0 ? "trailer" : "data";
      if (size > 0) this.chunkCount++;
    } else if (this.#state === "dataEnd") {
      if (line !== "") throw new MalformedChunks();
      this.#state = "size";
    } else if (line === "") {
      this.#state = "end";
    } else if (trailerPattern.test(line)) {
      this.#countOverhead(line.length);
    } else {
      throw new MalformedChunks();
    }
  }

  #countOverhead(bytes: number): void {
    this.#overheadBytes += bytes;
    if (this.#overheadBytes > maxOverheadBytes) throw new MalformedChunks();
  }
}

/** The chunks are malformed or have too much overhead, so the start of the next request is unknown. */
export class MalformedChunks extends Error {}

const lineFeed = 0x0a;
const maxLineBytes = 4 * 1024;
/** Maximum total length of the extensions, the leading zeros of sizes, and the trailers of a body. */
const maxOverheadBytes = 16 * 1024;
const tokenSource = "[!#$%&'*+.^_`|~\\dA-Za-z-]+";
const quotedStringSource = '"(?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"';
/** A chunk size short enough for a JavaScript number to represent exactly, followed by extensions. */
const sizePattern = new RegExp(
  `^([\\dA-Fa-f]{1,13})(?:;${tokenSource}(?:=(?:${tokenSource}|${quotedStringSource}))?)*$`,
);
/** A trailer field, except those that would change the length of the body. */
const trailerPattern = new RegExp(
  `^(?!(?:content-length|transfer-encoding):)${tokenSource}:[\\t -~\\x80-\\xff]*$`,
  "i",
);
