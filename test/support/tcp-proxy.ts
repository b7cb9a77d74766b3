import { connect, createServer, type Server, type Socket } from "node:net";

/** An address that can move from one server to another, like a proxy or a DNS name. */
export class MovableAddress implements Disposable {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #target: number;
  #fatalWords: readonly string[] = [];

  private constructor(
    target: number,
    readonly rewrite: ((sent: Buffer) => Buffer) | undefined,
  ) {
    this.#target = target;
    this.#server = createServer((client) => this.#forward(client));
  }

  /** Listens on a free port, and forwards connections to a target. `rewrite` changes the bytes that clients send. */
  static async to(target: number, rewrite?: (sent: Buffer) => Buffer): Promise<MovableAddress> {
    const address = new MovableAddress(target, rewrite);
    await new Promise<void>((resolve) => address.#server.listen(0, "127.0.0.1", resolve));
    return address;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Forwards new connections to another target, and closes existing connections. */
  moveTo(target: number): void {
    this.#target = target;
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
    const server = connect(this.#target, "127.0.0.1");
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
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one);
      const { rewrite } = this;
      if (rewrite && one === client) one.on("data", (sent: Buffer) => other.write(rewrite(sent)));
      else one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}
