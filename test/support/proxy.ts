import { pauseLoad, until } from "./wait.ts";

/** A reverse proxy that polls the readiness of instances, spreads requests among ready instances, and never retries a request. */
export class ReverseProxy implements AsyncDisposable {
  readonly #server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#forward(request) });
  #readyUpstreams: URL[] = [];
  #nextIndex = 0;
  #isClosed = false;
  readonly #checks = this.#check();

  constructor(readonly upstreams: () => readonly URL[]) {}

  get url(): URL {
    return this.#server.url;
  }

  async until(isReady: boolean, upstream: URL): Promise<void> {
    await until(() => this.#readyUpstreams.some(({ href }) => href === upstream.href) === isReady);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#checks;
    await this.#server.stop(true);
  }

  async #check(): Promise<void> {
    while (!this.#isClosed) {
      await pauseLoad();
      const ready = await Promise.all(
        this.upstreams().map(async (url) => {
          const response = await fetch(new URL("/readyz", url)).catch(() => undefined);
          return response?.ok ? [url] : [];
        }),
      );
      this.#readyUpstreams = ready.flat();
    }
  }

  async #forward(request: Request): Promise<Response> {
    const upstream = this.#readyUpstreams[this.#nextIndex++ % this.#readyUpstreams.length];
    if (!upstream) return new Response("no instance is ready", { status: 502 });
    const { pathname, search } = new URL(request.url);
    const body = await request.arrayBuffer();
    try {
      const response = await fetch(new URL(pathname + search, upstream), {
        method: request.method,
        headers: request.headers,
        // Forwards compressed bodies unchanged.
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
