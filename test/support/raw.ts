import { connect, type Socket } from "node:net";

/** A connection on which anything can be sent, also what no HTTP client would send. */
export class RawConnection implements Disposable {
  readonly #socket: Socket;
  readonly #closed: Promise<void>;
  readonly connected: Promise<void>;
  #received = "";
  #isIdle = false;

  constructor(url: URL) {
    this.#socket = connect(Number(url.port), url.hostname);
    this.#socket.setEncoding("latin1");
    this.#socket.on("data", (text: string) => {
      this.#received += text;
    });
    this.#socket.on("error", () => {});
    this.#socket.setTimeout(idleMs, () => {
      this.#isIdle = true;
    });
    this.connected = new Promise((resolve) => this.#socket.once("connect", () => resolve()));
    this.#closed = new Promise((resolve) => this.#socket.on("close", () => resolve()));
  }

  send(bytes: string | Uint8Array): this {
    this.#socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
    return this;
  }

  /** Sends it, and returns once the system has it. */
  sent(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  /** Sends nothing more, and goes on reading. */
  end(): this {
    this.#socket.end();
    return this;
  }

  /** The first response, once all of it is there; undefined if the connection ended before. */
  async response(): Promise<{ status: number; headers: Headers; text: string } | undefined> {
    for (;;) {
      const response = parseResponse(this.#received);
      if (response || this.#socket.destroyed) return response;
      await Promise.race([this.#closed, new Promise((resolve) => this.#socket.once("data", resolve))]);
    }
  }

  /** Forgets what was received, so that the next response is the first again. */
  clear(): void {
    this.#received = "";
  }

  /** Once there is a response, or the connection has ended. */
  async settled(): Promise<void> {
    await this.response();
  }

  /** What was received by the time that the service closed it. Throws if that was only because nothing moved on it. */
  async untilClosed(): Promise<string> {
    await this.#closed;
    if (this.#isIdle) throw new Error("Only because nothing moved on it, the connection was closed.");
    return this.#received;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

/** Less than after which the service closes any connection; what closes one for another reason does so much sooner. */
const idleMs = 60_000;

function parseResponse(received: string) {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [statusLine = "", ...lines] = received.slice(0, end).split("\r\n");
  const headers = new Headers(lines.map((line) => line.split(/: */, 2) as [string, string]));
  const body = Buffer.from(received.slice(end + 4), "latin1");
  const length = Number(headers.get("content-length") ?? 0);
  if (body.length < length) return undefined;
  return { status: Number(statusLine.split(" ")[1]), headers, text: body.toString("utf8", 0, length) };
}
