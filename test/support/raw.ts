import { connect, type Socket } from "node:net";

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

  /** Sends bytes, and resolves once the kernel has accepted all bytes. */
  sendAll(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  end(): this {
    this.#socket.end();
    return this;
  }

  /** Returns the first response once the response is complete; undefined if the connection ends before. */
  async response(): Promise<{ status: number; headers: Headers; text: string } | undefined> {
    for (;;) {
      const response = parseResponse(this.#received);
      if (response || this.#socket.destroyed) return response;
      await Promise.race([this.#closed, new Promise((resolve) => this.#socket.once("data", resolve))]);
    }
  }

  /** Discards the received bytes, so that `response` returns the next response. */
  clear(): void {
    this.#received = "";
  }

  async untilResponse(): Promise<void> {
    await this.response();
  }

  /** Returns everything received until the service closed the connection. Throws if the service may have closed an idle connection. */
  async untilClosed(): Promise<string> {
    await this.#closed;
    if (this.#isIdle) throw new Error("The connection was closed only because it was idle.");
    return this.#received;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

/** Less than the idle timeout of the service, but much longer than the service takes to close a connection for any other reason. */
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
