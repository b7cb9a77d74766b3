import { expect, test } from "bun:test";
import { operations } from "../../src/operations/index.ts";
import { type Case, kinds } from "./cases.ts";
import { fuzz } from "./fuzzer.ts";
import type { WireResponse } from "./responses.ts";
import { formatTranscript } from "./tally.ts";

const seed = Number(process.env["FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const count = Number(process.env["FUZZ_REQUESTS"] ?? 20_000);
/** Time limit of a response. The default is long enough for a slow and busy machine, and only detects hanging. */
const limitMs = Number(process.env["FUZZ_LIMIT_MS"] ?? 20_000);
const connectionCount = Number(process.env["FUZZ_CONNECTIONS"] ?? 32);
const selectedCases = process.env["FUZZ_ONLY"];

if (selectedCases === undefined) {
  test(
    `${count} valid, malformed and random requests cause no failure of the service`,
    async () => {
      const tally = await fuzz({ seed, cases: Array.from({ length: count }).keys(), count, connectionCount, limitMs });
      console.log(tally.report);
      if (!tally.shouldStop && tally.growth > maxGrowthBytes) tally.failRun(`Memory grew by ${tally.growth} bytes.`);
      expect(tally.failures.join("\n\n")).toBe("");
      if (count < 20_000) return;
      const findMissing = (category: string, names: readonly string[]) =>
        names.filter((name) => !tally.countsOf(category).has(name));
      expect(findMissing("kinds", kinds)).toEqual([]);
      // `retryWebhookDelivery` succeeds only if the path happens to name a delivery of the same webhook.
      const operationIds = operations.map(({ id }) => id).filter((id) => id !== "retryWebhookDelivery");
      expect(findMissing("successes", operationIds)).toEqual([]);
      expect(findMissing("statuses", expectedStatuses)).toEqual([]);
      expect(tally.acceptedEventCount).toBeGreaterThan(0);
    },
    120_000 + count * 20,
  );
} else {
  test("the cases in FUZZ_ONLY cause no failure of the service when they run one after the other", async () => {
    const cases = selectedCases.split(",").flatMap((part) => {
      const [first = 0, last = first] = part.split("-").map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
    const onCase = (fuzzCase: Case, responses: readonly WireResponse[], rest: Buffer) =>
      console.log(formatTranscript(seed, fuzzCase, responses, rest));
    const tally = await fuzz({ seed, cases, count: cases.length, connectionCount: 1, limitMs, onCase });
    expect(tally.failures.join("\n\n")).toBe("");
  }, 600_000);
}

/** Maximum growth of the memory without a leak. Cases add webhooks, and sending to more webhooks needs more memory. */
const maxGrowthBytes = 96 * 2 ** 20;

const expectedStatuses = "200 201 204 304 400 401 403 404 405 409 412 413 415 422 429".split(" ");
