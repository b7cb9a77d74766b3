/**
 * Decodes the chunked transfer coding (RFC 9112, section 7.1). Only lines that every parser ends at the same byte are accepted: a proxy
 * that ended a line elsewhere would find another start of the next request (request smuggling). So blanks beside the delimiters are
 * malformed, although the RFC tolerates them. Extensions and trailers are checked and dropped.
 */
export class ChunkedDecoder {
  chunks = 0;
  #state: "size" | "data" | "dataEnd" | "trailer" | "end" = "size";
  #line = "";
  /** Number of bytes of the current chunk still to come. */
  #left = 0;
  #overheadBytes = 0;

  get isComplete(): boolean {
    return this.#state === "end";
  }

  /** Returns the number of bytes that belong to the body. Throws MalformedChunks. */
  take(bytes: Buffer, onData: (piece: Buffer) => void): number {
    let at = 0;
    while (at < bytes.length && this.#state !== "end") {
      if (this.#state === "data") {
        const piece = bytes.subarray(at, at + this.#left);
        onData(piece);
        at += piece.length;
        this.#left -= piece.length;
        if (this.#left === 0) this.#state = "dataEnd";
      } else {
        at = this.#takeLine(bytes, at);
      }
    }
    return at;
  }

  #takeLine(bytes: Buffer, from: number): number {
    const feed = bytes.indexOf(lineFeed, from);
    const end = feed < 0 ? bytes.length : feed;
    if (this.#line.length + end - from > maxLineBytes) throw new MalformedChunks();
    this.#line += bytes.toString("latin1", from, end);
    if (feed < 0) return end;
    const line = this.#line;
    this.#line = "";
    if (!line.endsWith("\r")) throw new MalformedChunks();
    this.#endLine(line.slice(0, -1));
    return feed + 1;
  }

  #endLine(line: string): void {
    if (this.#state === "size") {
      const digits = sizePattern.exec(line)?.[1];
      if (digits === undefined) throw new MalformedChunks();
      this.#left = Number.parseInt(digits, 16);
      this.#countOverhead(line.length - this.#left.toString(16).length);
      this.#state = this.#left === 0 ? "trailer" : "data";
      if (this.#left > 0) this.chunks++;
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
/** Limits the extensions, the leading zeros of sizes and the trailers of a body together. */
const maxOverheadBytes = 16 * 1024;
const token = "[!#$%&'*+.^_`|~\\dA-Za-z-]+";
const quotedString = '"(?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"';
/** A size that a JavaScript number represents exactly, and extensions. */
const sizePattern = new RegExp(`^([\\dA-Fa-f]{1,13})(?:;${token}(?:=(?:${token}|${quotedString}))?)*$`);
/** A trailer field, except those that would change the length of the body. */
const trailerPattern = new RegExp(`^(?!(?:content-length|transfer-encoding):)${token}:[\\t -~\\x80-\\xff]*$`, "i");
