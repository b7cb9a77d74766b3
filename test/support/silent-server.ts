export function startSilentServer(): { readonly origin: string; readonly requested: Promise<void> } & Disposable {
  const { promise: requested, resolve } = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    fetch: () => {
      resolve();
      return new Promise<Response>(() => {});
    },
  });
  return { origin: server.url.origin, requested, [Symbol.dispose]: () => server[Symbol.dispose]() };
}
