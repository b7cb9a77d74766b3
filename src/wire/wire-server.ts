import { nextTick } from "../base/tick.ts";
import { Buffers } from "./buffer-limit.ts";
import { Connection, type ConnectionHost, type RequestHandler } from "./connection.ts";
import type { ConnectionLimits } from "./connection-timeouts.ts";
import { RequestScheduler } from "./request-scheduler.ts";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface WireOptions {
  readonly hostname: string;
  readonly port: number;
  /** Absent for plain HTTP. TLS 1.2 or later is used. */
  readonly tls?: Certificate | undefined;
  /** True if other listeners of the process may open the same port. */
  readonly sharesPort?: boolean;
  readonly limits?: Partial<ConnectionLimits>;
  readonly buffers?: Buffers;
  /** The texts with which requests of health probes start. A busy service processes probes first. */
  readonly probeStarts?: readonly string[];
  readonly onError?: (error: Error) => void;
}

/**
 * An HTTP/1.1 server on the runtime's sockets. The runtime's own server answers malformed requests without a body, drops pipelined
 * requests, and cannot answer a client that has half-closed its connection.
 */
export class WireServer implements ConnectionHost {
  readonly isSecure: boolean;
  readonly limits: ConnectionLimits;
  readonly buffers: Buffers;
  readonly scheduler = new RequestScheduler();
  readonly probeStarts: readonly string[];
  readonly port: number;
  readonly url: URL;
  isStopping = false;
  pendingRequests = 0;
  nowMs = performance.now();
  date = new Date().toUTCString();
  /** Resolves once the server is stopped and its last connection is closed. */
  readonly ended: Promise<void>;
  readonly #connections = new Set<Connection>();
  readonly #listener: Bun.TCPSocketListener<Connection>;
  readonly #timer: Timer;
  readonly #onEnded: () => void;

  constructor(
    { hostname, port, tls, sharesPort, limits, buffers = new Buffers(), probeStarts = [], onError }: WireOptions,
    readonly handle: RequestHandler,
  ) {
    ({ promise: this.ended, resolve: this.#onEnded } = Promise.withResolvers<void>());
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
        // Without this handler, `open` is called only after the TLS handshake, so a stalled handshake would have no timeout.
        handshake() {},
        data: (socket, bytes) => socket.data.handleData(bytes),
        drain: (socket) => socket.data.handleDrain(),
        end: (socket) => socket.data.handleEnd(),
        close: (socket) => {
          this.#connections.delete(socket.data);
          socket.data.handleClose();
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
    this.#timer = setInterval(() => this.#tick(), tickMs);
  }

  /** True while a client is still sending: to end its connection now could destroy its last response. */
  get hasClientsStillSending(): boolean {
    return this.#connections.values().some(({ isClientStillSending }) => isClientStillSending);
  }

  async closeIdleConnections(): Promise<number> {
    const idle = [...this.#connections].filter(({ isIdle }) => isIdle);
    // Requests that have already arrived are read within two ticks, and make their connections busy.
    for (let tick = 0; tick < 2; tick++) await nextTick();
    const stillIdle = idle.filter(({ isIdle }) => isIdle);
    for (const connection of stillIdle) connection.close();
    return stillIdle.length;
  }

  closeStalledConnections(): void {
    for (const connection of this.#connections) connection.closeIfStalled();
  }

  /** Resolves once idle connections are closed; the others close after their current response. */
  async stop(): Promise<void> {
    if (!this.isStopping) {
      this.isStopping = true;
      this.#listener.stop();
      this.#endIfEmpty();
    }
    await this.closeIdleConnections();
  }

  terminate(): void {
    for (const connection of this.#connections) connection.end();
  }

  #tick(): void {
    this.nowMs = performance.now();
    this.date = new Date().toUTCString();
    for (const connection of this.#connections) connection.closeIfExpired();
  }

  #endIfEmpty(): void {
    if (!this.isStopping || this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#onEnded();
  }
}

/** Returns the port, or a free port for 0. Throws the operating system's error if another listener uses the port, even a shared one. */
export function findFreePort(hostname: string, port: number): number {
  const listener = Bun.listen({ hostname, port, exclusive: true, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}

export const defaultConnectionLimits: ConnectionLimits = {
  // Longer than the 60 seconds of common proxies, so that no proxy reuses a connection that is about to be closed.
  idleMs: 75_000,
  headMs: 10_000,
  maxHeadBytes: 16 * 1024,
  stalledMs: 5_000,
  lingerMs: 2_000,
};
/** Interval at which the timeouts are checked, and the coarse clock and the `Date` header are updated. */
const tickMs = 250;
