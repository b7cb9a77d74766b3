/**
 * Sends the same requests to this program and to that of another checkout, and prints the cases whose responses differ:
 * `bun test/fuzz/compare.ts CHECKOUT [COUNT]`. Both programs start on copies of one SQLite file. Times, random ids, keys and secrets
 * are masked; `FUZZ_SEED` selects different requests.
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "../support/client.ts";
import { RunningProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { webhookKey } from "../support/webhooks.ts";
import { type Case, generateCase } from "./cases.ts";
import { Connection } from "./connection.ts";
import type { WireResponse } from "./responses.ts";
import { configuredKey, fillStore, readEtagsAndPaths, type World } from "./world.ts";

const [checkout = "", count = "5000"] = process.argv.slice(2);
const seed = Number(process.env["FUZZ_SEED"] ?? 1);

const maskedHeaders: ReadonlySet<string> = new Set([
  "date",
  "x-request-id",
  "ratelimit",
  "retry-after",
  "connection",
  "content-length",
]);
/** Matches targets whose responses depend on the progress of background work. */
const variableTargetPattern = /^\/v1\/webhooks\/|^\/metrics/;

const masks: readonly [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME"],
  // The last use of a key is recorded with a delay, so perhaps only one of the programs has recorded the last use.
  [/"lastUsedAt":null/g, '"lastUsedAt":"TIME"'],
  [/evt_[0-9a-f]{32}/g, "EVENT"],
  [/ask_[0-9A-Za-z]{36}/g, "KEY"],
  [/whsec_[0-9A-Za-z+/=]+/g, "SECRET"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "UUID"],
  [/127\.0\.0\.1:\d+/g, "HOST"],
  [/\b[0-9a-z]+\.[\w-]{14}(?![\w-])/g, "CURSOR"],
  [/-[0-9a-z]{8}\.(js|css|svg)/g, "-HASH.$1"],
];

function maskText(text: string): string {
  return masks.reduce((masked, [pattern, mask]) => masked.replace(pattern, mask), text);
}

function describeResponse(target: string, response: WireResponse | undefined): string {
  if (!response) return "no response";
  const isEncoded = response.headers.some(([name]) => name === "content-encoding");
  const body = isEncoded ? "ENCODED" : maskText(response.body.toString());
  // Other representations contain times, so their entity tags differ.
  const hasStableEtag = /^\/v1\/(pets|categories|store\/inventory)/.test(target);
  const headers = response.headers
    .filter(([name]) => !maskedHeaders.has(name) && (hasStableEtag || name !== "etag"))
    .map(([name, value]) => `${name}: ${maskText(value)}`);
  return [response.status, ...headers, "", body].join("\n");
}

class ComparedService {
  private constructor(readonly program: RunningProgram) {}

  static async start(main: string | undefined, database: string): Promise<ComparedService> {
    const environment = { ANIMAL_STORE_API_KEY: configuredKey, ANIMAL_STORE_WEBHOOK_KEY: webhookKey };
    return new ComparedService(
      await RunningProgram.start(database, {
        ...(main !== undefined && { main }),
        args: ["--anonymous-limit", "1000000"],
        environment,
      }),
    );
  }

  async send(fuzzCase: Case): Promise<string[]> {
    const connection = await Connection.open(this.program.client.url);
    for (const bytes of fuzzCase.writes) connection.send(bytes);
    const responses: string[] = [];
    for (const { method, target } of fuzzCase.requests) {
      let response: WireResponse | undefined;
      while (!response) {
        response = connection.responses.next(method === "HEAD", connection.isEnded);
        if (response || connection.isEnded) break;
        await connection.waitForChange(60_000);
      }
      responses.push(describeResponse(target, response));
    }
    connection.close();
    return responses;
  }
}

using folder = temporaryFolder();
const files = [join(folder.path, "before.db"), join(folder.path, "after.db")] as const;
const { keys, wrongKeys } = await fillStore({ kind: "sqlite", path: files[0] });
copyFileSync(files[0], files[1]);
const before = await ComparedService.start(join(checkout, "src/main.ts"), files[0]);
const after = await ComparedService.start(undefined, files[1]);
const world: World = { keys, wrongKeys, etags: [], pagePaths: [], receiverUrls: ["http://127.0.0.1:9/hook"] };
const completeWorld: World = {
  ...world,
  ...(await readEtagsAndPaths(new Client(before.program.client.url, configuredKey))),
};
await readEtagsAndPaths(new Client(after.program.client.url, configuredKey));
let [comparedCount, differentCount] = [0, 0];
for (let index = 0; comparedCount < Number(count); index++) {
  const fuzzCase = generateCase(seed, index, completeWorld);
  if (
    fuzzCase.due !== "responses" ||
    fuzzCase.requests.some(({ target }) => variableTargetPattern.test(target) || /prefer: wait/i.test(target))
  )
    continue;
  comparedCount++;
  const [oldResponses, newResponses] = await Promise.all([before.send(fuzzCase), after.send(fuzzCase)]);
  if (Bun.deepEquals(oldResponses, newResponses)) continue;
  differentCount++;
  console.log(
    `--- case ${index}\n${fuzzCase.writes.join("")}\n--- before\n${oldResponses.join("\n")}\n--- after\n${newResponses.join("\n")}\n`,
  );
}
console.log(`${comparedCount} cases compared, ${differentCount} differ`);
await Promise.all([before, after].map(({ program }) => program.signal("SIGTERM")));
process.exit(differentCount > 0 ? 1 : 0);
