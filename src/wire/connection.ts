import type { Awaitable } from "../base/awaitable.ts";
import type { BufferKind, BufferOwner, Buffers } from "./buffer-limit.ts";
import { ConnectionTimeouts, type TimeoutLimits } from "./connection-timeouts.ts";
import { emptyLine, faultIn, type Head, HeadReader, headTooLarge, isHalfEmptyLine, startsWithHead } from "./head.ts";
import { IncomingBody } from "./incoming-body.ts";
import { type Peer, statusLine, type WireRequest, type WireResponse } from "./message.ts";
import type { RequestScheduler, Scheduled, Urgency } from "./request-scheduler.ts";
import { SocketWriter } from "./socket-writer.ts";
import { unsentBytes } from "./unsent-bytes.ts";

/** What connections have in common. */
export interface Host {
  readonly isSecure: boolean;
  readonly limits: ConnectionLimits;
  readonly buffers: Buffers;
  readonly scheduler: RequestScheduler;
  /** Requests of health probes start with these texts. */
  readonly probeStarts: readonly string[];
  /** Coarse, so that it costs nothing. */
  readonly nowMs: number;
  /** The current time as responses carry it. */
  readonly date: string;
  /** Whether every connection ends with the response to its current request. */
  readonly isStopping: boolean;
  answer(request: WireRequest): Awaitable<WireResponse>;
  begin(): void;
  end(): void;
}

export interface ConnectionLimits extends TimeoutLimits {
  /** How large the head of a request may be. */
  readonly headBytes: number;
}

/**
 * A `reading` connection becomes `queued` when it has sent more requests than one turn may process, and `answering` with each request;
 * both lead back to `reading`. A `lingering` connection discards what it receives, and a `dropped` one receives nothing, until its
 * deadline; both only become `closed`.
 */
type Phase = "reading" | "queued" | "answering" | "lingering" | "dropped" | "closed";

/**
 * One connection of HTTP/1.1. Requests are answered one after the other, in the order in which they came, also if a client sends
 * the next one early. Early input waits, and beyond a limit it is not received.
 */
export class Connection implements Peer, BufferOwner, Scheduled {
  readonly address: string;
  readonly port: number;
  readonly #patience: ConnectionTimeouts;
  #input: Buffer = nothing;
  readonly #heads = new HeadReader();
  /** How much of the input was found to be no whole head, so that one that comes in many pieces is not gone through for each. */
  #seenBytes = 0;
  readonly #outlet: SocketWriter;
  #body = noBody;
  #phase: Phase = "reading";
  #isAdvancing = false;
  #isPaused = false;
  isTrusted = false;
  #requestsInTurn = 0;
  /** Whether the client sends nothing more. */
  #hasEnded = false;
  /** Whether the current request is a HEAD, which may be all that was understood of it. */
  #isForHead = false;
  /** Whether the current response is over when the connection is, so that it must not end in the ordinary way before. */
  #isUntilEnd = false;
  #lingeredBytes = 0;
  /** Whether its client was still sending when it was closed. */
  #wasClientStillSending = false;
  #onLeave: (() => void)[] = [];
  #onGone: (() => void)[] = [];
  #stream: ReturnType<ReadableStream<Uint8Array>["getReader"]> | undefined;

  constructor(
    readonly socket: Bun.Socket<unknown>,
    readonly host: Host,
  ) {
    this.address = socket.remoteAddress;
    this.port = socket.remotePort;
    this.#outlet = new SocketWriter(socket, () => {
      this.closed();
      setImmediate(() => socket.terminate());
    });
    this.#patience = new ConnectionTimeouts(host, host.limits);
  }

  get isSecure(): boolean {
    return this.host.isSecure;
  }

  get isGone(): boolean {
    return this.#phase === "closed";
  }

  /** True if no request is in progress, as far as the input was processed. */
  get isIdle(): boolean {
    return this.#phase === "reading";
  }

  /** True if the client has yet to send the rest of its last request, and would lose the response if the connection ended. */
  get isClientStillSending(): boolean {
    return this.#phase === "lingering" && this.#wasClientStillSending;
  }

  get #isOpen(): boolean {
    return this.#phase === "reading" || this.#phase === "queued" || this.#phase === "answering";
  }

  onLeave(call: () => void): void {
    if (this.#hasEnded || this.isGone) call();
    else this.#onLeave.push(call);
  }

  onGone(call: () => void): void {
    if (this.isGone) call();
    else this.#onGone.push(call);
  }

  get urgency(): Urgency {
    if (this.isTrusted) return "trusted";
    if (this.#requestsInTurn >= maxRequestsInTurn) return "backlog";
    const isProbe = this.host.probeStarts.some((start) => this.#input.toString("latin1", 0, start.length) === start);
    return isProbe ? "probe" : "fresh";
  }

  proceed(): void {
    if (this.#phase === "queued") this.#phase = "reading";
    this.#requestsInTurn = 0;
    this.#advance();
  }

  cutIfStalled(): void {
    this.#patience.hurry(true);
    this.#awaitTaking();
  }

  keepOpen(): void {
    this.#patience.hurry(false);
    this.#awaitTaking();
  }

  takenBytes(): number {
    return this.#outlet.writtenBytes - this.#unsentBytes;
  }

  /** Ends it if its time is over. */
  expire(): void {
    if (this.#patience.isOver) this.end();
  }

  /** Ends it if its client has taken nothing of a response that is no stream for longer than one that is to be cut off may. */
  endIfStalled(): void {
    if (!this.#outlet.isBlocked || this.#stream) return;
    if (this.#patience.isStalled(this.#unsentBytes)) this.end();
  }

  /**
   * Ends it between two requests. A client that still sends would otherwise have the connection reset, and might lose the last
   * response: so for a while, what comes is received and dropped.
   */
  close(phase: "lingering" | "dropped" = "lingering"): void {
    if (!this.#isOpen) return;
    if (this.#hasEnded) {
      this.end();
      return;
    }
    this.#phase = phase;
    this.#wasClientStillSending = this.#body.isOpen || this.#input.length > 0;
    this.#input = nothing;
    this.#patience.linger();
    this.#setPause();
    if (phase === "lingering") this.socket.shutdown();
  }

  /** Ends it, whatever is in progress. What the system has taken still reaches the client. */
  end(): void {
    if (this.isGone) return;
    // With TLS, one whose client takes nothing would stay for long, with all that waits for it.
    const isStuck = this.host.isSecure && this.#outlet.isBlocked;
    if (this.#isUntilEnd || isStuck) {
      this.socket.terminate();
      return;
    }
    // Without this, one with TLS would not be closed before its client agrees.
    this.socket.shutdown();
    this.socket.end();
  }

  /**
   * Discards what is buffered. A client that has sent too much is disconnected only a while later: it would connect again at once,
   * and keep the service busier than before.
   */
  drop(kind: BufferKind): void {
    if (kind === "output") this.socket.terminate();
    this.#body.fail("incomplete");
    this.close("dropped");
  }

  received(bytes: Buffer): void {
    if (!this.#isOpen) {
      this.#lingeredBytes += bytes.length;
      if (this.#lingeredBytes > maxLingeredBytes) this.socket.pause();
      return;
    }
    if (this.#input.length === 0) this.#requestsInTurn = 0;
    this.#input = this.#input.length === 0 ? bytes : Buffer.concat([this.#input, bytes]);
    this.#advance();
  }

  drained(): void {
    if (!this.#outlet.isBlocked) return;
    this.#awaitTaking();
    this.#outlet.flush();
    this.#holdOutput();
    this.#setDeadline();
  }

  ended(): void {
    this.#hasEnded = true;
    if (this.#phase === "lingering") {
      this.end();
      return;
    }
    this.#body.fail("incomplete");
    callAll(this.#onLeave);
    this.#endIfDone();
  }

  closed(): void {
    this.#phase = "closed";
    this.#input = nothing;
    this.#body.fail("incomplete");
    this.#outlet.close();
    this.host.buffers.input.release(this);
    this.host.buffers.output.release(this);
    this.#stream?.cancel().catch(() => {});
    callAll(this.#onLeave);
    callAll(this.#onGone);
  }

  /** Processes the input, until more is needed or a request has to be waited for. */
  #advance(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    while (this.#isOpen && this.#input.length > 0 && this.#step());
    this.#isAdvancing = false;
    // A small rest does not keep the buffer that it came in.
    if (this.#input.length === 0) this.#input = nothing;
    else if (this.#input.length < this.#input.buffer.byteLength / 4) this.#input = Buffer.from(this.#input);
    this.#endIfDone();
    const bytes = (this.#input === nothing ? 0 : this.#input.buffer.byteLength) + this.#body.unaccountedBytes;
    if (bytes + this.host.buffers.input.bytes > 0 && !this.isGone) this.host.buffers.input.hold(this, bytes);
    this.#setPause();
    this.#setDeadline();
  }

  /** Processes a part of the input. Returns false if the rest has to wait. */
  #step(): boolean {
    if (this.#phase === "queued") return false;
    if (this.#body.isOpen) {
      this.#feedBody();
      // The response was sent already, and the start of the next request is unknown.
      if (this.#body.failure && this.#phase !== "answering") this.close();
      return true;
    }
    if (this.#phase === "answering") return false;
    if (!this.host.scheduler.admit(this, this.#requestsInTurn < maxRequestsInTurn)) {
      this.#phase = "queued";
      return false;
    }
    const head = this.#readHead();
    if (!head) return false;
    this.#requestsInTurn++;
    this.#answer(head);
    return true;
  }

  /** Returns nothing as long as it is not complete. */
  #readHead(): Head | undefined {
    const input = this.#input;
    let start = 0;
    // Some clients send an empty line after a body.
    while (input[start] === carriageReturn && input[start + 1] === lineFeed) start += 2;
    this.#isForHead = startsWithHead(input, start);
    const seenBytes = Math.max(start, this.#seenBytes);
    const end = input.indexOf(emptyLine, Math.max(start, seenBytes - (emptyLine.length - 1)));
    if (end < 0) {
      this.#input = input.subarray(start);
      this.#seenBytes = this.#input.length;
      return faultIn(this.#input, this.host.limits.headBytes, seenBytes - start);
    }
    this.#seenBytes = 0;
    if (end - start > this.host.limits.headBytes) return headTooLarge(this.host.limits.headBytes);
    this.#input = input.subarray(end + emptyLine.length);
    return this.#heads.read(input.subarray(start, end));
  }

  #feedBody(): void {
    this.#input = this.#input.subarray(this.#body.feed(this.#input));
  }

  #answer(head: Head): void {
    const { method, target, fields, length, fault } = head;
    this.#phase = "answering";
    this.#patience.beginRequest();
    if (method !== "") this.#isForHead = method === "HEAD";
    this.#body = length === 0 ? noBody : new IncomingBody(length, () => this.#letBodyCome(head));
    // What has come of it with its head is there before anybody asks.
    if (this.#body.isOpen && this.#input.length > 0) this.#feedBody();
    if (this.#hasEnded) this.#body.fail("incomplete");
    this.host.begin();
    const request = { method, target, headers: fields, body: this.#body, fault, peer: this };
    const response = this.host.answer(request);
    if (!(response instanceof Promise)) this.#respond(head, response);
    else {
      response.then(
        (done) => this.#respond(head, done),
        () => this.#abandon(),
      );
    }
  }

  #letBodyCome({ fields, isHttp10 }: Head): void {
    const isExpected = !isHttp10 && fields.get("expect")?.toLowerCase() === "100-continue";
    if (isExpected && this.#body.bytes === 0) this.#outlet.send(`${statusLine(100)}\r\n`);
    this.#setPause();
  }

  #respond(head: Head, response: WireResponse): void {
    const { body, status } = response;
    const { isHttp10 } = head;
    if (this.isGone) {
      if (body instanceof ReadableStream) body.cancel().catch(() => {});
      this.host.end();
      return;
    }
    const closes = this.#closesAfter(head, response);
    const connection = closes ? "Connection: close\r\n" : isHttp10 ? "Connection: keep-alive\r\n" : "";
    const start = `${statusLine(status)}${response.head}Date: ${this.host.date}\r\n${connection}`;
    if (body instanceof ReadableStream) this.#sendStream(start, body, isHttp10, closes);
    else this.#sendWhole(start, response, body, closes);
  }

  #closesAfter(head: Head, { isLast, body }: WireResponse): boolean {
    const isBodyLost = !this.#body.isComplete && !this.#body.isOpen;
    const endsBody = head.isHttp10 && body instanceof ReadableStream;
    return isLast || this.host.isStopping || isBodyLost || head.fault !== undefined || endsBody || !staysOpen(head);
  }

  #sendStream(start: string, body: ReadableStream<Uint8Array>, isHttp10: boolean, closes: boolean): void {
    const framing = isHttp10 ? "" : "Transfer-Encoding: chunked\r\n";
    this.#isUntilEnd = isHttp10 && !this.#isForHead;
    this.#outlet.send(`${start}${framing}\r\n`);
    if (!this.#isForHead) {
      this.#pump(body, !isHttp10, closes);
      return;
    }
    body.cancel().catch(() => {});
    this.#finish(closes);
  }

  #sendWhole(
    start: string,
    { status, bodyBytes }: WireResponse,
    body: string | Uint8Array | null,
    closes: boolean,
  ): void {
    const bytes = typeof body === "string" ? (bodyBytes ?? Buffer.byteLength(body)) : (body?.length ?? 0);
    const isBodiless = status === 204 || status === 304;
    const text = `${start}${isBodiless ? "" : `Content-Length: ${bytes}\r\n`}\r\n`;
    if (typeof body === "string" && !this.#isForHead) this.#outlet.send(text + body, text.length + bytes);
    else this.#outlet.send(text);
    if (body instanceof Uint8Array && !this.#isForHead) this.#outlet.send(body, body.length, true);
    if (!this.#outlet.isBlocked) {
      this.#finish(closes);
      return;
    }
    this.#awaitTaking();
    this.#outlet.whenFree(() => this.#finish(closes));
    this.#holdOutput();
  }

  /** Sends a stream piece by piece, each as soon as the one before was taken. */
  async #pump(stream: ReadableStream<Uint8Array>, isChunked: boolean, closes: boolean): Promise<void> {
    const reader = stream.getReader();
    this.#stream = reader;
    let isWhole = false;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        isWhole = done;
        if (done || this.isGone) break;
        if (value.length === 0) continue;
        this.#outlet.send(isChunked ? inChunk(value) : value);
        await this.#taken();
      }
      if (isWhole && isChunked) this.#outlet.send(lastChunk);
    } catch {
      // Its client sees that something is missing.
      isWhole = false;
    }
    await this.#taken();
    this.#stream = undefined;
    if (isWhole) this.#isUntilEnd = false;
    else if (this.#isUntilEnd) this.end();
    this.#finish(closes || !isWhole);
  }

  async #taken(): Promise<void> {
    if (!this.#outlet.isBlocked) return;
    this.#awaitTaking();
    const taken = new Promise<void>((resolve) => this.#outlet.whenFree(resolve));
    this.#holdOutput();
    await taken;
  }

  /** The response is on its way, and the next request may be answered. */
  #finish(closes: boolean): void {
    this.host.end();
    if (this.#phase === "answering") this.#phase = "reading";
    this.#patience.beIdle();
    this.#onLeave.length = 0;
    this.#onGone.length = 0;
    const isBodyLost = this.#body.failure !== undefined;
    // Nobody asks for the body any more, nor for what of it is still to come.
    if (this.#body.isOpen) this.#body.discard();
    else this.#body = noBody;
    if (this.isGone) return;
    if (closes || isBodyLost || this.host.isStopping) this.close();
    else this.#advance();
  }

  /** Something has failed that was not to fail. */
  #abandon(): void {
    this.host.end();
    this.socket.terminate();
  }

  /** A client that sends nothing more has had its responses, or has left in the middle of a request. */
  #endIfDone(): void {
    if (this.#hasEnded && this.isIdle) this.end();
  }

  #setPause(): void {
    const isFull = this.#body.isOpen ? this.#body.waitingBytes > maxWaitingBytes : this.#input.length > maxWaitingBytes;
    const isBusy = isFull && (this.#phase === "answering" || this.#phase === "queued");
    const pauses = isBusy || this.#phase === "dropped";
    if (pauses === this.#isPaused) return;
    this.#isPaused = pauses;
    if (pauses) this.socket.pause();
    else this.socket.resume();
  }

  #setDeadline(): void {
    if (!this.#isOpen) return;
    if (this.#phase === "answering" || (this.#phase === "queued" && this.#seenBytes === 0)) {
      // Unread output has a deadline of its own, and so has a part of a head that was seen.
      if (!this.#outlet.isBlocked) this.#patience.waitForEver();
    } else if (this.#body.isOpen) this.#patience.awaitRestOfBody();
    else if (this.#input.length === 0 || isHalfEmptyLine(this.#input)) this.#patience.awaitRequest();
    else this.#patience.awaitRestOfHead();
  }

  /** Number of bytes that the system holds because the client has not taken them; 0 where the system does not tell. */
  get #unsentBytes(): number {
    return unsentBytes(this.socket.localPort, this) ?? 0;
  }

  #holdOutput(): void {
    if (!this.isGone) this.host.buffers.output.hold(this, this.#outlet.heldBytes);
  }

  #awaitTaking(): void {
    if (this.#outlet.isBlocked && this.#isOpen) this.#patience.awaitTaking();
  }
}

/** Each is called once. */
function callAll(calls: (() => void)[]): void {
  for (const call of calls.splice(0)) call();
}

function staysOpen({ fields, isHttp10 }: Head): boolean {
  const connection = fields.get("connection");
  if (connection === null) return !isHttp10;
  const options = connection.split(",").map((option) => option.trim().toLowerCase());
  return !options.includes("close") && (!isHttp10 || options.includes("keep-alive"));
}

function inChunk(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, endOfLine]);
}

const nothing = Buffer.alloc(0);
/** That of all requests without one. */
const noBody = new IncomingBody(0, () => {});
const endOfLine = Buffer.from("\r\n");
const lastChunk = "0\r\n\r\n";
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
/** How much is received that nobody has asked for yet. */
const maxWaitingBytes = 64 * 1024;
const maxLingeredBytes = 8 * 1024 * 1024;
/** Each further one waits until others have had their turn. */
const maxRequestsInTurn = 2;
