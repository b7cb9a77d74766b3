import { connect, createServer, type Server, type Socket } from "node:net";

/** An address that can move from one server to another, like a proxy or a DNS name. */
export class MovableAddress implements Disposable {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #targetPort: number;
  #fatalWords: readonly string[] = [];

  private constructor(
    targetPort: number,
    readonly rewrite: ((sent: Buffer) => Buffer) | undefined,
  ) {
    this.#targetPort = targetPort;
    this.#server = createServer((client) => this.#forward(client));
  }

  /** Listens on a free port, and forwards connections to a target. `rewrite` changes the bytes that clients send. */
  static async to(targetPort: number, rewrite?: (sent: Buffer) => Buffer): Promise<MovableAddress> {
    const address = new MovableAddress(targetPort, rewrite);
    await new Promise<void>((resolve) => address.#server.listen(0, "127.0.0.1", resolve));
    return address;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Forwards new connections to another target, and closes existing connections. */
  moveTo(targetPort: number): void {
    this.#targetPort = targetPort;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Stops forwarding on existing connections, which stay open. New connections still work. */
  fallSilent(): void {
    for (const socket of this.#sockets) socket.unpipe().pause().removeAllListeners("close");
  }

  /** Closes the connection of a client that has sent these words in order, instead of forwarding the response to the last word. */
  cutAfter(...words: readonly string[]): void {
    this.#fatalWords = words;
  }

  [Symbol.dispose](): void {
    this.moveTo(0);
    this.#server.close();
  }

  #forward(client: Socket): void {
    const server = connect(this.#targetPort, "127.0.0.1");
    let words = this.#fatalWords;
    let seenCount = 0;
    client.on("data", (sent: Buffer) => {
      if (words !== this.#fatalWords) [words, seenCount] = [this.#fatalWords, 0];
      if (seenCount >= words.length) return;
      while (seenCount < words.length && sent.includes(words[seenCount] ?? "")) seenCount++;
      if (seenCount < words.length) return;
      server.unpipe(client).once("data", () => client.destroy());
      server.resume();
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      const { rewrite } = this;
      if (rewrite && from === client) from.on("data", (sent: Buffer) => to.write(rewrite(sent)));
      else from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }
}
