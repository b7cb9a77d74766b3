export interface Receivers extends AsyncDisposable {
  readonly urls: readonly string[];
  readonly receivedCount: number;
  readonly acceptedCount: number;
}

/** Starts receivers for success, failure, redirects and 410. All respond immediately, because a request that tests a webhook waits. */
export function startReceivers(): Receivers {
  let receivedCount = 0;
  let acceptedCount = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const text = await request.text();
      receivedCount++;
      const status = statuses.find((one) => new URL(request.url).pathname === `/${one}`) ?? 404;
      if (status === 204 && !text.includes('"type":"webhook.test"')) acceptedCount++;
      const headers = status === 302 ? { location: "/204" } : {};
      return new Response(status === 204 ? null : "x".repeat(2_000), { status, headers });
    },
  });
  return {
    urls: statuses.map((status) => `http://127.0.0.1:${server.port}/${status}`),
    get receivedCount() {
      return receivedCount;
    },
    get acceptedCount() {
      return acceptedCount;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** Half of the receivers respond with 410, so that few webhooks stay enabled. */
const statuses = [204, 410, 500, 410, 302, 410];
