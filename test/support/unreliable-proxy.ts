import { type IncomingMessage, request as sendRequest } from "node:http";
import { createServer, type Server, type Socket } from "node:net";

/** The fault that the proxy causes for a request. */
export type Fault =
  | "pass"
  /** Resets the connection before the service receives the request. */
  | "refuse"
  /** Resets the connection instead of forwarding the response. */
  | "lose"
  /** Resets the connection in the middle of the response. */
  | "cut"
  /** Never responds; the service does not receive the request. */
  | "swallow"
  | "delay"
  /** Sends the request twice concurrently, and forwards the first response. */
  | "double"
  /** Responds in place of the service. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

export class UnreliableProxy implements AsyncDisposable {
  readonly seen: SeenRequest[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(
    readonly target: URL,
    readonly chooseFault: (request: SeenRequest) => Fault,
  ) {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async to(target: URL, chooseFault: (request: SeenRequest) => Fault): Promise<UnreliableProxy> {
    const proxy = new UnreliableProxy(target, chooseFault);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** Starts a proxy that causes the given faults in order, one per request, and then none. */
  static withFaults(target: URL, ...faults: Fault[]): Promise<UnreliableProxy> {
    return UnreliableProxy.to(target, () => faults.shift() ?? "pass");
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  get isBusy(): boolean {
    return this.#sockets.size > 0;
  }

  closeConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closeConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    let received = Buffer.alloc(0);
    socket.on("data", (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      const end = received.indexOf("\r\n\r\n");
      if (end < 0) return;
      const [requestLine = "", ...lines] = received.toString("latin1", 0, end).split("\r\n");
      const [method = "", target = ""] = requestLine.split(" ");
      const headers = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
      );
      const body = received.subarray(end + 4);
      if (body.length < Number(headers["content-length"] ?? 0)) return;
      // Each connection carries one request, so a fault affects no other request.
      socket.removeAllListeners("data");
      const request = { method, target, headers };
      this.seen.push(request);
      this.#handle(socket, request, body).catch(() => socket.destroy());
    });
  }

  async #handle(socket: Socket, request: SeenRequest, body: Buffer): Promise<void> {
    const fault = this.chooseFault(request);
    if (typeof fault === "object") {
      const response = Buffer.from(fault.body ?? "");
      socket.write(renderHead(fault.status, { ...fault.headers, "content-length": String(response.length) }));
      socket.end(response);
      return;
    }
    if (fault === "refuse") return void socket.destroy();
    if (fault === "swallow") return;
    if (fault === "delay") await Bun.sleep(Math.random() * maxDelayMs);
    const forward = () => this.#forward(request, body, socket);
    const response = await (fault === "double" ? Promise.race([forward(), forward()]) : forward());
    if (fault === "lose") {
      await readBody(response);
      return void socket.destroy();
    }
    const { "transfer-encoding": encoding, ...headers } = response.headers as Record<string, string>;
    if (encoding === undefined || fault === "cut") {
      const bytes = await readBody(response);
      socket.write(renderHead(response.statusCode ?? 0, { ...headers, "content-length": String(bytes.length) }));
      if (fault !== "cut") return void socket.end(bytes);
      socket.write(bytes.subarray(0, bytes.length / 2), () => socket.destroy());
      return;
    }
    socket.write(renderHead(response.statusCode ?? 0, { ...headers, "transfer-encoding": "chunked" }));
    response.on("data", (bytes: Buffer) => {
      socket.write(`${bytes.length.toString(16)}\r\n`);
      socket.write(bytes);
      socket.write("\r\n");
    });
    response.on("end", () => socket.end("0\r\n\r\n"));
  }

  #forward({ method, target, headers }: SeenRequest, body: Buffer, socket: Socket): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = sendRequest(new URL(target, this.target), { method, headers, agent: false }, resolve);
      request.on("error", reject);
      socket.on("close", () => request.destroy());
      request.end(body);
    });
  }
}

const maxDelayMs = 100;

function renderHead(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ ...headers, connection: "close" }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} As It Is\r\n${lines.join("")}\r\n`;
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks);
}
