export function startSilentServer(): { readonly origin: string; readonly isRequested: Promise<void> } & Disposable {
  const { promise: isRequested, resolve } = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    fetch: () => {
      resolve();
      return new Promise<Response>(() => {});
    },
  });
  return { origin: server.url.origin, isRequested, [Symbol.dispose]: () => server[Symbol.dispose]() };
}
