/**
 * Takes a body in chunks apart (RFC 9112). Extensions of chunks and trailers are read over, within limits: nothing here needs
 * them, and what is too long of them is an attack.
 */
export class ChunkedDecoder {
  /** How many chunks there were, without the empty one at the end. */
  chunks = 0;
  #state: "size" | "data" | "dataEnd" | "trailer" | "end" = "size";
  /** What has come of a line that is not complete. */
  #line = "";
  #left = 0;
  #trailerBytes = 0;

  get isComplete(): boolean {
    return this.#state === "end";
  }

  /** Hands on what the bytes hold of the body, and returns how many of them belong to it. Throws MalformedChunks. */
  take(bytes: Buffer, data: (piece: Buffer) => void): number {
    let at = 0;
    while (at < bytes.length && this.#state !== "end") {
      if (this.#state === "data") {
        const piece = bytes.subarray(at, at + this.#left);
        data(piece);
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
    if (this.#line.length + end - from > longestLine) throw new MalformedChunks();
    this.#line += bytes.toString("latin1", from, end);
    if (feed < 0) return end;
    const line = this.#line;
    this.#line = "";
    if (!line.endsWith("\r")) throw new MalformedChunks();
    this.#endLine(line.slice(0, -1));
    return feed + 1;
  }

  #endLine(line: string): void {
    if (forbiddenCharacter.test(line)) throw new MalformedChunks();
    if (this.#state === "size") {
      const digits = sizePattern.exec(line)?.[1];
      if (digits === undefined) throw new MalformedChunks();
      this.#left = Number.parseInt(digits, 16);
      this.#state = this.#left === 0 ? "trailer" : "data";
      if (this.#left > 0) this.chunks++;
    } else if (this.#state === "dataEnd") {
      if (line !== "") throw new MalformedChunks();
      this.#state = "size";
    } else if (line === "") {
      this.#state = "end";
    } else {
      this.#trailerBytes += line.length;
      if (!trailerPattern.test(line) || this.#trailerBytes > mostTrailerBytes) throw new MalformedChunks();
    }
  }
}

/** What was sent is no body in chunks, so that nobody knows where the next request begins. */
export class MalformedChunks extends Error {
  override readonly name = "MalformedChunks";
}

const lineFeed = 0x0a;
const longestLine = 4 * 1024;
const mostTrailerBytes = 16 * 1024;
const forbiddenCharacter = /[^\t\x20-\x7e\x80-\xff]/;
/** A size that a number holds exactly, and extensions. */
const sizePattern = /^([\dA-Fa-f]{1,13})[\t ]*(?:;.*)?$/;
const trailerPattern = /^[!#$%&'*+.^_`|~\dA-Za-z-]+:/;
