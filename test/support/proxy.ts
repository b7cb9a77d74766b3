import { pauseOfLoad, until } from "./wait.ts";

/** A reverse proxy as there are many: it asks who is ready, and spreads requests among those. It never tries one twice. */
export class ReverseProxy implements AsyncDisposable {
  readonly #upstreams: () => readonly URL[];
  readonly #server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#forward(request) });
  #ready: URL[] = [];
  #turn = 0;
  #isClosed = false;
  readonly #checking = this.#check();

  constructor(upstreams: () => readonly URL[]) {
    this.#upstreams = upstreams;
  }

  get url(): URL {
    return this.#server.url;
  }

  async until(isReady: boolean, upstream: URL): Promise<void> {
    await until(() => this.#ready.some(({ href }) => href === upstream.href) === isReady);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#checking;
    await this.#server.stop(true);
  }

  async #check(): Promise<void> {
    while (!this.#isClosed) {
      await pauseOfLoad();
      const answers = await Promise.all(
        this.#upstreams().map(async (url) => {
          const response = await fetch(new URL("/readyz", url)).catch(() => undefined);
          return response?.ok ? [url] : [];
        }),
      );
      this.#ready = answers.flat();
    }
  }

  async #forward(request: Request): Promise<Response> {
    const upstream = this.#ready[this.#turn++ % this.#ready.length];
    if (!upstream) return new Response("no instance is ready", { status: 502 });
    const { pathname, search } = new URL(request.url);
    const body = await request.arrayBuffer();
    try {
      const response = await fetch(new URL(pathname + search, upstream), {
        method: request.method,
        headers: request.headers,
        // What comes back is passed on as it is.
        decompress: false,
        ...(body.byteLength > 0 ? { body } : {}),
      });
      const headers = new Headers(response.headers);
      headers.delete("connection");
      return new Response(await response.arrayBuffer(), { status: response.status, headers });
    } catch (error) {
      return new Response(String(error), { status: 502 });
    }
  }
}
