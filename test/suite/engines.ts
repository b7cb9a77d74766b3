/** API tests that do not depend on the store, so they run only on SQLite. */
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
