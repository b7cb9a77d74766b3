/** Returns the request with this index among the requests of a connection. Each connection sends its requests one after the other. */
export type NextRequest = (index: number, connection: number) => PreparedRequest;

export interface PreparedRequest {
  readonly bytes: Uint8Array;
  readonly kind: string;
  readonly status: number;
}

export type LoadLimit = { readonly milliseconds: number } | { readonly requests: number };

export interface LoadResult {
  readonly seconds: number;
  readonly counts: Readonly<Record<string, number>>;
  /** Latencies by kind of request in milliseconds, unordered. */
  readonly latencies: Readonly<Record<string, readonly number[]>>;
}

/** Sends requests over several connections until the limit is reached. Throws if a response has an unexpected status. */
export async function load(url: URL, connections: number, limit: LoadLimit, next: NextRequest): Promise<LoadResult> {
  const latencies: Record<string, number[]> = {};
  const start = performance.now();
  let responseCount = 0;
  const isOver =
    "requests" in limit
      ? () => ++responseCount > limit.requests - connections
      : (now: number) => now - start >= limit.milliseconds;
  await Promise.all(Array.from({ length: connections }, (_, id) => runConnection(url, id, isOver, next, latencies)));
  const seconds = (performance.now() - start) / 1000;
  const counts = Object.fromEntries(Object.entries(latencies).map(([kind, all]) => [kind, all.length]));
  return { seconds, counts, latencies };
}

/** Returns a percentile, such as the median for a `part` of 0.5. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))] ?? Number.NaN;
}

export function medianOf(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function requestBytes(method: string, target: string, key: string | null, body?: string): Uint8Array {
  const lines = [`${method} ${target} HTTP/1.1`, "Host: 127.0.0.1"];
  if (key !== null) lines.push(`Authorization: Bearer ${key}`);
  if (body !== undefined) lines.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body ?? ""}`);
}

async function runConnection(
  { hostname, port }: URL,
  connection: number,
  isOver: (now: number) => boolean,
  next: NextRequest,
  latencies: Record<string, number[]>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let index = 0;
  let sentRequest = next(index, connection);
  let sentAt = 0;
  let received: Buffer = noBytes;
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open(opened) {
        sentAt = performance.now();
        opened.write(sentRequest.bytes);
      },
      data(open, chunk) {
        const bytes = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const status = parseStatus(bytes);
        if (status === undefined) {
          received = Buffer.from(bytes);
          return;
        }
        received = noBytes;
        const now = performance.now();
        latencies[sentRequest.kind] ??= [];
        latencies[sentRequest.kind]?.push(now - sentAt);
        if (status !== sentRequest.status)
          reject(new Error(`The response to ${sentRequest.kind} was ${bytes.toString("utf8", 0, 400)}`));
        if (status !== sentRequest.status || isOver(now)) {
          open.end();
          return;
        }
        sentRequest = next(++index, connection);
        sentAt = now;
        open.write(sentRequest.bytes);
      },
      close: () => resolve(),
      error: (_, error) => reject(error),
    },
  });
  await promise.finally(() => socket.end());
}

const noBytes = Buffer.alloc(0);

function parseStatus(bytes: Buffer): number | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const length = /content-length: (\d+)/i.exec(head)?.[1] ?? "0";
  return bytes.length < end + 4 + Number(length) ? undefined : Number(head.slice(9, 12));
}
