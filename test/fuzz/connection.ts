import type { Socket } from "bun";
import { ResponseReader } from "./responses.ts";

export class Connection {
  readonly responses = new ResponseReader();
  #socket: Socket<undefined> | undefined;
  #unsent: Buffer[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  static async open(url: URL): Promise<Connection> {
    const connection = new Connection();
    const end = () => connection.#end();
    connection.#socket = await Bun.connect({
      hostname: url.hostname,
      port: Number(url.port),
      allowHalfOpen: true,
      socket: {
        data: (_, bytes) => {
          connection.responses.push(bytes);
          connection.#wake?.();
        },
        drain: () => connection.#flush(),
        end,
        close: end,
        error: end,
      },
    });
    connection.#socket.setNoDelay(true);
    return connection;
  }

  /** True once the service has closed or reset the connection, or `close` was called. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  send(bytes: Buffer): void {
    this.#unsent.push(bytes);
    if (this.#unsent.length === 1) this.#flush();
  }

  halfClose(): void {
    this.#socket?.shutdown();
  }

  close(): void {
    this.#socket?.terminate();
    this.#end();
  }

  async waitForChange(milliseconds: number): Promise<void> {
    if (this.#isEnded) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, milliseconds);
    await promise;
    clearTimeout(timer);
    this.#wake = undefined;
  }

  #flush(): void {
    for (let bytes = this.#unsent[0]; bytes && !this.#isEnded; bytes = this.#unsent[0]) {
      const written = this.#socket?.write(bytes) ?? 0;
      if (written < bytes.length) {
        this.#unsent[0] = bytes.subarray(Math.max(0, written));
        return;
      }
      this.#unsent.shift();
    }
  }

  #end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }
}
