/** API tests that run only on SQLite: of responses that are sent without the store, and of requests that the service sends. */
export const storeIndependentTests: readonly string[] = [
  "test/http/cors.test.ts",
  "test/http/document.test.ts",
  "test/http/pages.test.ts",
  "test/http/slow-clients.test.ts",
  "test/http/webhook-sender.test.ts",
];

export function isForBothEngines(file: string): boolean {
  return file.startsWith("test/http/") && !storeIndependentTests.includes(file);
}
