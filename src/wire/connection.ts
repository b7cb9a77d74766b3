import type { Awaitable } from "../base/awaitable.ts";
import type { BufferKind, BufferOwner, Buffers } from "./buffer-limit.ts";
import { type ConnectionLimits, ConnectionTimeouts } from "./connection-timeouts.ts";
import {
  carriageReturn,
  checkIncompleteHead,
  createTooLargeHead,
  emptyLine,
  type Head,
  HeadReader,
  isHalfEmptyLine,
  lineFeed,
  startsWithHeadMethod,
} from "./head.ts";
import { IncomingBody } from "./incoming-body.ts";
import { formatStatusLine, type Peer, type WireRequest, type WireResponse } from "./message.ts";
import type { RequestScheduler, Scheduled, Urgency } from "./request-scheduler.ts";
import { SocketWriter } from "./socket-writer.ts";
import { readUnsentBytes } from "./unsent-bytes.ts";

export interface ConnectionHost {
  readonly isSecure: boolean;
  readonly limits: ConnectionLimits;
  readonly buffers: Buffers;
  readonly scheduler: RequestScheduler;
  readonly probeStarts: readonly string[];
  readonly nowMs: number;
  readonly date: string;
  readonly isStopping: boolean;
  readonly handle: RequestHandler;
  pendingRequests: number;
}

/** Handles a request, and must not throw. */
export type RequestHandler = (request: WireRequest) => Awaitable<WireResponse>;

/**
 * A `reading` connection becomes `queued` when it has sent more requests than one tick may process, and `answering` with each request;
 * both phases lead back to `reading`. Until its deadline, a `lingering` connection discards its input, and a `dropped` connection
 * receives nothing; then both become `closed`.
 */
type Phase = "reading" | "queued" | "answering" | "lingering" | "dropped" | "closed";

/** An HTTP/1.1 connection. Answers pipelined requests one at a time, in order, and stops receiving while too much input is buffered. */
export class Connection implements Peer, BufferOwner, Scheduled {
  readonly address: string;
  readonly isSecure: boolean;
  isTrusted = false;
  #phase: Phase = "reading";
  readonly #timeouts: ConnectionTimeouts;
  readonly #headReader = new HeadReader();
  readonly #writer: SocketWriter;
  #input: Buffer = emptyInput;
  /** Number of bytes of an incomplete head that were already checked; a head in many pieces is thus scanned only once. */
  #checkedBytes = 0;
  #body = noBody;
  #requestsInTick = 0;
  #isAdvancing = false;
  #isPaused = false;
  #isHalfClosed = false;
  /** True if the current request is a HEAD, even if the rest of the request is malformed. */
  #isHeadRequest = false;
  /** True while the end of the connection marks the end of the response, so an incomplete response must end with a reset. */
  #isEndedByClose = false;
  #wasSendingAtClose = false;
  #onEnd: (() => void) | undefined;
  #streamReader: ReturnType<ReadableStream<Uint8Array>["getReader"]> | undefined;

  constructor(
    readonly socket: Bun.Socket<unknown>,
    readonly host: ConnectionHost,
  ) {
    this.address = socket.remoteAddress;
    this.isSecure = host.isSecure;
    this.#writer = new SocketWriter(socket, () => {
      this.handleClose();
      setImmediate(() => socket.terminate());
    });
    this.#timeouts = new ConnectionTimeouts(host, host.limits);
  }

  get isClosed(): boolean {
    return this.#phase === "closed";
  }

  get isIdle(): boolean {
    return this.#phase === "reading";
  }

  /** True if the client was still sending when the service closed its side; a reset now would destroy the response. */
  get isClientStillSending(): boolean {
    return this.#phase === "lingering" && this.#wasSendingAtClose;
  }

  get #isOpen(): boolean {
    return this.#phase === "reading" || this.#phase === "queued" || this.#phase === "answering";
  }

  onEnd(callback: () => void): void {
    if (this.#isHalfClosed || this.isClosed) callback();
    else this.#onEnd = callback;
  }

  get urgency(): Urgency {
    if (this.isTrusted) return "trusted";
    if (this.#requestsInTick >= maxRequestsInTick) return "backlog";
    const isProbe = this.host.probeStarts.some((start) => this.#input.toString("latin1", 0, start.length) === start);
    return isProbe ? "probe" : "fresh";
  }

  proceed(): void {
    if (this.#phase === "queued") this.#phase = "reading";
    this.#requestsInTick = 0;
    this.#advance();
  }

  useShortWriteTimeout(isShort: boolean): void {
    this.#timeouts.useShortWriteTimeout(isShort);
    this.#startWriteTimeout();
  }

  acknowledgedBytes(): number {
    return this.#writer.writtenBytes - readUnsentBytes(this.socket);
  }

  closeIfExpired(): void {
    if (this.#timeouts.isExpired) this.end();
  }

  /** Closes the connection if its client has stopped reading a response. Ignores streams, because `PacedStream` monitors their clients. */
  closeIfStalled(): void {
    const isWaiting = this.#writer.isBlocked && !this.#streamReader;
    if (isWaiting && this.#timeouts.isStalled(readUnsentBytes(this.socket))) this.end();
  }

  /**
   * By default, keeps receiving for a while: the kernel resets a connection that is closed while its client sends, and the reset could
   * destroy the response before the client has read it.
   */
  close(phase: "lingering" | "dropped" = "lingering"): void {
    if (!this.#isOpen) return;
    if (this.#isHalfClosed) {
      this.end();
      return;
    }
    this.#phase = phase;
    this.#wasSendingAtClose = this.#body.isOpen || this.#input.length > 0;
    this.#input = emptyInput;
    this.#timeouts.startLingerTimeout();
    this.#updatePause();
    if (phase === "lingering") this.socket.shutdown();
  }

  /** Closes the connection at once. Bytes that the kernel has accepted still reach the client. */
  end(): void {
    if (this.isClosed) return;
    // An orderly end of TLS would wait indefinitely for a client that reads nothing.
    const isStuck = this.host.isSecure && this.#writer.isBlocked;
    if (this.#isEndedByClose || isStuck) {
      this.socket.terminate();
      return;
    }
    // Without the shutdown, a TLS connection stays open until the client closes its side, too.
    this.socket.shutdown();
    this.socket.end();
  }

  /** Disconnects at once for unread output, but only after a delay for excess input, because that client would reconnect at once. */
  drop(kind: BufferKind): void {
    if (kind === "output") this.socket.terminate();
    this.#body.fail("incomplete");
    this.close("dropped");
  }

  handleData(bytes: Buffer): void {
    if (!this.#isOpen) return;
    if (this.#input.length === 0) this.#requestsInTick = 0;
    this.#input = this.#input.length === 0 ? bytes : Buffer.concat([this.#input, bytes]);
    this.#advance();
  }

  handleDrain(): void {
    if (!this.#writer.isBlocked) return;
    this.#startWriteTimeout();
    this.#writer.flush();
    this.#countOutput();
    this.#updateDeadline();
  }

  handleEnd(): void {
    this.#isHalfClosed = true;
    if (this.#phase === "lingering") {
      this.end();
      return;
    }
    this.#body.fail("incomplete");
    this.#onEnd?.();
    this.#endIfDone();
  }

  handleClose(): void {
    this.#phase = "closed";
    this.#input = emptyInput;
    this.#body.fail("incomplete");
    this.#writer.close();
    this.host.buffers.input.release(this);
    this.host.buffers.output.release(this);
    this.#streamReader?.cancel().catch(() => {});
    this.#onEnd?.();
  }

  #advance(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    while (this.#isOpen && this.#input.length > 0 && this.#step());
    this.#isAdvancing = false;
    // A small remainder is copied, so that it does not keep the whole network buffer in memory.
    if (this.#input.length === 0) this.#input = emptyInput;
    else if (this.#input.length < this.#input.buffer.byteLength / 4) this.#input = Buffer.from(this.#input);
    this.#endIfDone();
    const bytes = (this.#input === emptyInput ? 0 : this.#input.buffer.byteLength) + this.#body.unreservedBytes;
    if (bytes + this.host.buffers.input.bytes > 0 && !this.isClosed) this.host.buffers.input.setBytes(this, bytes);
    this.#updatePause();
    this.#updateDeadline();
  }

  #step(): boolean {
    if (this.#phase === "queued") return false;
    if (this.#body.isOpen) {
      this.#input = this.#input.subarray(this.#body.feed(this.#input));
      // The end of a malformed body is unknown, so no later request on the connection can be read.
      if (this.#body.failure && this.#phase !== "answering") this.close();
      return true;
    }
    if (this.#phase === "answering") return false;
    if (!this.host.scheduler.admit(this, this.#requestsInTick < maxRequestsInTick)) {
      this.#phase = "queued";
      return false;
    }
    const head = this.#readHead();
    if (!head) return false;
    this.#requestsInTick++;
    this.#handle(head);
    return true;
  }

  #readHead(): Head | undefined {
    const input = this.#input;
    let start = 0;
    // Skips the empty line that some clients send after a body.
    while (input[start] === carriageReturn && input[start + 1] === lineFeed) start += 2;
    this.#isHeadRequest = startsWithHeadMethod(input, start);
    const checkedBytes = Math.max(start, this.#checkedBytes);
    const end = input.indexOf(emptyLine, Math.max(start, checkedBytes - (emptyLine.length - 1)));
    if (end < 0) {
      this.#input = input.subarray(start);
      this.#checkedBytes = this.#input.length;
      return checkIncompleteHead(this.#input, this.host.limits.maxHeadBytes, checkedBytes - start);
    }
    this.#checkedBytes = 0;
    if (end - start > this.host.limits.maxHeadBytes) return createTooLargeHead(this.host.limits.maxHeadBytes);
    this.#input = input.subarray(end + emptyLine.length);
    return this.#headReader.read(input.subarray(start, end));
  }

  #handle(head: Head): void {
    const { method, target, fields, length, fault } = head;
    this.#phase = "answering";
    this.#body = length === 0 ? noBody : new IncomingBody(length, () => this.#receiveBody(head));
    // Part of the body may already have arrived together with the head.
    if (this.#body.isOpen) this.#input = this.#input.subarray(this.#body.feed(this.#input));
    if (this.#isHalfClosed) this.#body.fail("incomplete");
    this.host.pendingRequests++;
    const response = this.host.handle({ method, target, headers: fields, body: this.#body, fault, peer: this });
    if (!(response instanceof Promise)) this.#respond(head, response);
    else {
      response.then(
        (resolved) => this.#respond(head, resolved),
        () => {
          // Only a handler with a bug fails.
          this.host.pendingRequests--;
          this.socket.terminate();
        },
      );
    }
  }

  #receiveBody({ fields, isHttp10 }: Head): void {
    const isExpected = !isHttp10 && fields.get("expect")?.toLowerCase() === "100-continue";
    if (isExpected && this.#body.receivedBytes === 0) this.#writer.send(`${formatStatusLine(100)}\r\n`);
    this.#updatePause();
  }

  #respond(head: Head, response: WireResponse): void {
    const { body, status } = response;
    const { isHttp10 } = head;
    if (this.isClosed) {
      if (body instanceof ReadableStream) body.cancel().catch(() => {});
      this.host.pendingRequests--;
      return;
    }
    const shouldClose = this.#shouldCloseAfter(head, response);
    const connectionHeader = shouldClose ? "Connection: close\r\n" : isHttp10 ? "Connection: keep-alive\r\n" : "";
    const headStart = `${formatStatusLine(status)}${response.head}Date: ${this.host.date}\r\n${connectionHeader}`;
    if (body instanceof ReadableStream) this.#sendStream(headStart, body, isHttp10, shouldClose);
    else this.#sendWhole(headStart, response, body, shouldClose);
  }

  #shouldCloseAfter(head: Head, { shouldClose, body }: WireResponse): boolean {
    const isBodyLost = !this.#body.isComplete && !this.#body.isOpen;
    const endsByClose = head.isHttp10 && body instanceof ReadableStream;
    return (
      shouldClose || this.host.isStopping || isBodyLost || head.fault !== undefined || endsByClose || !keepsAlive(head)
    );
  }

  #sendStream(headStart: string, body: ReadableStream<Uint8Array>, isHttp10: boolean, shouldClose: boolean): void {
    const framingHeader = isHttp10 ? "" : "Transfer-Encoding: chunked\r\n";
    this.#isEndedByClose = isHttp10 && !this.#isHeadRequest;
    this.#writer.send(`${headStart}${framingHeader}\r\n`);
    if (!this.#isHeadRequest) {
      this.#pump(body, !isHttp10, shouldClose);
      return;
    }
    body.cancel().catch(() => {});
    this.#finish(shouldClose);
  }

  #sendWhole(
    headStart: string,
    { status, bodyBytes }: WireResponse,
    body: string | Uint8Array | null,
    shouldClose: boolean,
  ): void {
    const bytes = typeof body === "string" ? (bodyBytes ?? Buffer.byteLength(body)) : (body?.length ?? 0);
    const isBodiless = status === 204 || status === 304;
    const text = `${headStart}${isBodiless ? "" : `Content-Length: ${bytes}\r\n`}\r\n`;
    if (typeof body === "string" && !this.#isHeadRequest) this.#writer.send(text + body, text.length + bytes);
    else this.#writer.send(text);
    if (body instanceof Uint8Array && !this.#isHeadRequest) this.#writer.send(body, body.length, true);
    if (this.#writer.isBlocked) this.#onDrained(() => this.#finish(shouldClose));
    else this.#finish(shouldClose);
  }

  /** Sends a stream piece by piece, each after the kernel has accepted the previous one. */
  async #pump(stream: ReadableStream<Uint8Array>, isChunked: boolean, shouldClose: boolean): Promise<void> {
    const reader = stream.getReader();
    this.#streamReader = reader;
    let isWhole = false;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        isWhole = done;
        if (done || this.isClosed) break;
        if (value.length === 0) continue;
        this.#writer.send(isChunked ? toChunk(value) : value);
        await this.#waitUntilDrained();
      }
      if (isWhole && isChunked) this.#writer.send(lastChunk);
    } catch {
      // The missing last chunk, or a reset, tells the client that the response is incomplete.
      isWhole = false;
    }
    await this.#waitUntilDrained();
    this.#streamReader = undefined;
    if (isWhole) this.#isEndedByClose = false;
    else if (this.#isEndedByClose) this.end();
    this.#finish(shouldClose || !isWhole);
  }

  async #waitUntilDrained(): Promise<void> {
    if (this.#writer.isBlocked) await new Promise<void>((resolve) => this.#onDrained(resolve));
  }

  #onDrained(callback: () => void): void {
    this.#startWriteTimeout();
    this.#writer.onDrained(callback);
    this.#countOutput();
  }

  #finish(shouldClose: boolean): void {
    this.host.pendingRequests--;
    if (this.#phase === "answering") this.#phase = "reading";
    this.#timeouts.startIdleTimeout();
    this.#onEnd = undefined;
    const isBodyLost = this.#body.failure !== undefined;
    // The rest of an open body arrives before the next request, but no handler will read that rest.
    if (this.#body.isOpen) this.#body.discard();
    else this.#body = noBody;
    if (this.isClosed) return;
    if (shouldClose || isBodyLost || this.host.isStopping) this.close();
    else this.#advance();
  }

  #endIfDone(): void {
    if (this.#isHalfClosed && this.isIdle) this.end();
  }

  #updatePause(): void {
    const isFull = (this.#body.isOpen ? this.#body.unclaimedBytes : this.#input.length) > maxUnclaimedBytes;
    const isBusy = isFull && (this.#phase === "answering" || this.#phase === "queued");
    const shouldPause = isBusy || this.#phase === "dropped";
    if (shouldPause === this.#isPaused) return;
    this.#isPaused = shouldPause;
    if (shouldPause) this.socket.pause();
    else this.socket.resume();
  }

  #updateDeadline(): void {
    if (!this.#isOpen) return;
    if (this.#phase === "answering" || (this.#phase === "queued" && this.#checkedBytes === 0)) {
      // Unread output and an incomplete head keep their own deadlines.
      if (!this.#writer.isBlocked) this.#timeouts.clearDeadline();
    } else if (this.#body.isOpen) this.#timeouts.restartBodyTimeout();
    else if (this.#input.length === 0 || isHalfEmptyLine(this.#input)) this.#timeouts.resumeIdleTimeout();
    else this.#timeouts.startHeadTimeout();
  }

  #countOutput(): void {
    if (!this.isClosed) this.host.buffers.output.setBytes(this, this.#writer.bufferedBytes);
  }

  #startWriteTimeout(): void {
    if (this.#writer.isBlocked && this.#isOpen) this.#timeouts.startWriteTimeout();
  }
}

function keepsAlive({ fields, isHttp10 }: Head): boolean {
  const connection = fields.get("connection");
  if (connection === null) return !isHttp10;
  const options = connection.split(",").map((option) => option.trim().toLowerCase());
  return !options.includes("close") && (!isHttp10 || options.includes("keep-alive"));
}

function toChunk(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, chunkEnd]);
}

const emptyInput = Buffer.alloc(0);
const noBody = new IncomingBody(0, () => {});
const chunkEnd = Buffer.from("\r\n");
const lastChunk = "0\r\n\r\n";
/** Maximum number of bytes that are received before a handler collects them. */
const maxUnclaimedBytes = 64 * 1024;
/** Further pipelined requests of a connection wait until other connections have been served. */
const maxRequestsInTick = 2;
