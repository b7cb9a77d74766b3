import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { until } from "./wait.ts";

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly event: { readonly id: string; readonly type: string; readonly subject: string };
}

/** The reaction of a receiver to an event: a status, a whole response, no response, or a closed connection. */
export type Reaction =
  | number
  | "hang"
  | "close"
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  readonly #server: Server;

  private constructor(
    private react: (received: Received) => Reaction | Promise<Reaction>,
    tls?: { readonly cert: string; readonly key: string },
  ) {
    const listener: RequestListener = async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      const received = { path: request.url ?? "", headers: toPlainHeaders(request), body, event: JSON.parse(body) };
      this.received.push(received);
      const reaction = await this.react(received);
      if (reaction === "hang") return;
      if (reaction === "close") return void request.socket.destroy();
      const { status, headers = {}, body: text = "" } = typeof reaction === "number" ? { status: reaction } : reaction;
      response.writeHead(status, headers).end(text);
    };
    this.#server = tls ? createTlsServer(tls, listener) : createServer(listener);
  }

  static async start(
    react: (received: Received) => Reaction | Promise<Reaction> = () => 204,
    { host = "127.0.0.1", port = 0, tls }: { host?: string; port?: number; tls?: { cert: string; key: string } } = {},
  ): Promise<Receiver> {
    const receiver = new Receiver(react, tls);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    receiver.#server.on("error", reject).listen(port, host, resolve);
    await promise;
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hooks`;
  }

  respondWith(react: (received: Received) => Reaction | Promise<Reaction>): void {
    this.react = react;
  }

  /** The ids of the received events without duplicates, in the order of their first arrival. */
  get ids(): string[] {
    return [...new Set(this.received.map(({ event }) => event.id))];
  }

  async untilReceived(count: number): Promise<void> {
    await until(() => this.received.length >= count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** True if the official library of Standard Webhooks accepts the signature. */
export function isSignedWith(secret: string, { headers, body }: Received): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

function toPlainHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
