/**
 * Files of tests of the interface in which no answer depends on what the store does, so that they show the same on both engines, and
 * run on SQLite alone: what is answered before the store is asked, and what the service sends to others.
 */
export const withoutStore: readonly string[] = [
  "test/http/cors.test.ts",
  "test/http/document.test.ts",
  "test/http/pages.test.ts",
  "test/http/slow-clients.test.ts",
  "test/http/webhook-sender.test.ts",
];

/** Whether what is in the file is to be tested on PostgreSQL as well. */
export function isForBothEngines(file: string): boolean {
  return file.startsWith("test/http/") && !withoutStore.includes(file);
}
