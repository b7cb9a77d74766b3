import type { Awaitable } from "../base/awaitable.ts";
import { nextTick } from "../base/tick.ts";
import { Buffers } from "./buffer-limit.ts";
import { Connection, type ConnectionLimits, type Host } from "./connection.ts";
import type { WireRequest, WireResponse } from "./message.ts";
import { RequestScheduler } from "./request-scheduler.ts";

export interface WireOptions {
  readonly hostname: string;
  readonly port: number;
  /** With it, HTTPS is spoken, of TLS 1.2 or later. Both are in PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Whether others that share it too may open the same port, and get some of the new connections. */
  readonly sharesPort?: boolean;
  readonly limits?: Partial<ConnectionLimits>;
  /** The limits on what is buffered, which servers may share. */
  readonly buffers?: Buffers;
  /** Requests of health probes start with these texts. They are processed first when the service is busy. */
  readonly probeStarts?: readonly string[];
  /** Called with what goes wrong on a connection, other than that it ends. */
  readonly onError?: (error: Error) => void;
}

/**
 * A server of HTTP/1.1 on the runtime's sockets. The runtime's own server gives no body to what it does not take for a request,
 * drops requests that are sent early, and cannot answer a client that has sent all it had to say.
 */
export class WireServer implements Host {
  readonly isSecure: boolean;
  readonly limits: ConnectionLimits;
  readonly buffers: Buffers;
  readonly scheduler = new RequestScheduler();
  readonly probeStarts: readonly string[];
  readonly port: number;
  readonly url: URL;
  isStopping = false;
  nowMs = performance.now();
  date = new Date().toUTCString();
  #pendingRequests = 0;
  readonly #connections = new Set<Connection>();
  readonly #listener: Bun.TCPSocketListener<Connection>;
  readonly #timer: Timer;
  readonly #ended = Promise.withResolvers<void>();

  /** Throws what the operating system says when the address cannot be had. */
  constructor(
    { hostname, port, tls, sharesPort, limits, buffers = new Buffers(), probeStarts = [], onError }: WireOptions,
    /** Must not throw. */
    readonly answer: (request: WireRequest) => Awaitable<WireResponse>,
  ) {
    this.isSecure = tls !== undefined;
    this.limits = { ...defaultConnectionLimits, ...limits };
    this.buffers = buffers;
    this.probeStarts = probeStarts;
    this.#listener = Bun.listen<Connection>({
      hostname,
      port,
      ...(tls && { tls: { ...tls } }),
      ...(sharesPort ? { reusePort: true } : { exclusive: true }),
      allowHalfOpen: true,
      socket: {
        open: (socket) => {
          socket.data = new Connection(socket, this);
          this.#connections.add(socket.data);
        },
        // Without it, a connection would not be known before its client has agreed on TLS, for which it would have for ever.
        handshake() {},
        data: (socket, bytes) => socket.data.received(bytes),
        drain: (socket) => socket.data.drained(),
        end: (socket) => socket.data.ended(),
        close: (socket) => {
          this.#connections.delete(socket.data);
          socket.data.closed();
          this.#endIfEmpty();
        },
        error: (socket, error) => {
          onError?.(error);
          socket.terminate();
        },
      },
    });
    this.port = this.#listener.port;
    const name = hostname.includes(":") ? `[${hostname}]` : hostname;
    this.url = new URL(`${this.isSecure ? "https" : "http"}://${name}:${this.port}/`);
    this.#timer = setInterval(() => this.#look(), lookEveryMs);
  }

  get pendingRequests(): number {
    return this.#pendingRequests;
  }

  /** Whether there are clients that would lose their last response if their connections ended now. */
  get hasClientsStillSending(): boolean {
    return [...this.#connections].some(({ isClientStillSending }) => isClientStillSending);
  }

  /** Once it is stopped, and its last connection is closed. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  begin(): void {
    this.#pendingRequests++;
  }

  end(): void {
    this.#pendingRequests--;
  }

  /** Returns how many there were. */
  async closeIdleConnections(): Promise<number> {
    const idle = [...this.#connections].filter(({ isIdle }) => isIdle);
    // What has arrived on them by now is seen in the next turns of the event loop.
    for (let turn = 0; turn < 2; turn++) await nextTick();
    const closed = idle.filter(({ isIdle }) => isIdle);
    for (const connection of closed) connection.close();
    return closed.length;
  }

  /** Ends the connections whose clients have taken nothing for some seconds. For streams, whoever sends them decides. */
  cutStalled(): void {
    for (const connection of this.#connections) connection.endIfStalled();
  }

  /**
   * Accepts no new connections, and closes each of the others after its current response. Returns once those are closed on which
   * no request has arrived.
   */
  async stop(): Promise<void> {
    if (!this.isStopping) {
      this.isStopping = true;
      this.#listener.stop();
      this.#endIfEmpty();
    }
    await this.closeIdleConnections();
  }

  /** Closes all connections of a server that was stopped, whatever is in progress on them. */
  terminate(): void {
    for (const connection of this.#connections) connection.end();
  }

  #look(): void {
    this.nowMs = performance.now();
    this.date = new Date().toUTCString();
    for (const connection of this.#connections) connection.expire();
  }

  #endIfEmpty(): void {
    if (!this.isStopping || this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#ended.resolve();
  }
}

/** A port that no other program uses, also none that would share it. Throws what the operating system says. */
export function freePort(hostname: string, port: number): number {
  const listener = Bun.listen({ hostname, port, exclusive: true, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}

export const defaultConnectionLimits: ConnectionLimits = {
  // Longer than the 60 seconds for which common proxies keep an idle connection that they may still use.
  idleMs: 75_000,
  headMs: 10_000,
  headBytes: 16 * 1024,
  stalledMs: 5_000,
  lingerMs: 2_000,
};
const lookEveryMs = 250;
