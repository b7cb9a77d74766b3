import { connect, createServer, type Server, type Socket } from "node:net";

/** An address that can move from one server to another, as a proxy or a name in DNS does. */
export class MovableAddress implements Disposable {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #target: number;
  #lastWords: readonly string[] = [];

  private constructor(
    target: number,
    readonly rewrite: ((sent: Buffer) => Buffer) | undefined,
  ) {
    this.#target = target;
    this.#server = createServer((client) => this.#forward(client));
  }

  /** `rewrite` changes what clients send. */
  static async to(target: number, rewrite?: (sent: Buffer) => Buffer): Promise<MovableAddress> {
    const address = new MovableAddress(target, rewrite);
    await new Promise<void>((resolve) => address.#server.listen(0, "127.0.0.1", resolve));
    return address;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** New connections go there; those to the old target end. */
  moveTo(target: number): void {
    this.#target = target;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** On the connections that are there nothing passes any more, and neither side is told. New ones work. */
  fallSilent(): void {
    for (const socket of this.#sockets) socket.unpipe().pause().removeAllListeners("close");
  }

  /** A connection on which clients send these, one after the other, ends in the place of the server's answer to the last. */
  cutAfter(...words: readonly string[]): void {
    this.#lastWords = words;
  }

  [Symbol.dispose](): void {
    this.moveTo(0);
    this.#server.close();
  }

  #forward(client: Socket): void {
    const server = connect(this.#target, "127.0.0.1");
    let words = this.#lastWords;
    let heard = 0;
    client.on("data", (sent: Buffer) => {
      if (words !== this.#lastWords) [words, heard] = [this.#lastWords, 0];
      if (heard >= words.length) return;
      while (heard < words.length && sent.includes(words[heard] ?? "")) heard++;
      if (heard < words.length) return;
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
