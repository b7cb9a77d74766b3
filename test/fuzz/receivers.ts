export interface Receivers extends AsyncDisposable {
  readonly urls: readonly string[];
  /** Number of events that arrived, and number of those that were accepted, without test events. */
  readonly receivedCount: number;
  readonly acceptedCount: number;
}

/**
 * Starts receivers that accept events, fail, redirect, or respond with 410. None of them delays its response, because a test of a webhook
 * waits for it, and none stores its hundreds of thousands of events.
 */
export function startReceivers(): Receivers {
  let received = 0;
  let taken = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const text = await request.text();
      received++;
      const status = statuses.find((one) => new URL(request.url).pathname === `/${one}`) ?? 404;
      if (status === 204 && !text.includes('"type":"webhook.test"')) taken++;
      const headers = status === 302 ? { location: "/204" } : {};
      return new Response(status === 204 ? null : "x".repeat(2_000), { status, headers });
    },
  });
  return {
    urls: statuses.map((status) => `http://127.0.0.1:${server.port}/${status}`),
    get receivedCount() {
      return received;
    },
    get acceptedCount() {
      return taken;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** Half of the receivers respond with 410, so that few webhooks stay enabled. */
const statuses = [204, 410, 500, 410, 302, 410];
