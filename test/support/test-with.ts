import { test } from "bun:test";

/** Returns a function that declares a test with a resource of its own, which is disposed of at the end of the test. */
export function testWith<Resource extends Disposable | AsyncDisposable>(make: () => Resource | Promise<Resource>) {
  return (title: string, run: (resource: Resource) => unknown): void => {
    test(title, async () => {
      await using resource = await make();
      await run(resource);
    });
  };
}
