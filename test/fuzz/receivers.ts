export interface Receivers extends AsyncDisposable {
  readonly urls: readonly string[];
  /** How many events came, and how many of what has happened were taken, besides tests. */
  readonly received: number;
  readonly taken: number;
}

/**
 * Receivers that take what they are sent, fail, send it elsewhere, or want no more of it. None lets its sender wait, because whoever
 * tests a webhook waits for what the receiver says, and none keeps what it gets, which is hundreds of thousands of events.
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
    get received() {
      return received;
    },
    get taken() {
      return taken;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** Half of them want no more, so that those who go on being sent to stay few. */
const statuses = [204, 410, 500, 410, 302, 410];
