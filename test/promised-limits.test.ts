import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { abandonedAfterMs } from "../src/base/files.ts";
import { maxResponseMs as maxHealthMs } from "../src/cli/remote/health.ts";
import { drainMilliseconds } from "../src/cli/serve/serve.ts";
import { shutdownTimeoutMs } from "../src/cli/serve/service.ts";
import { maxFoldedBytes } from "../src/domain/folded-name.ts";
import { maxInventoryCount } from "../src/domain/pet.ts";
import { heartbeatMs } from "../src/feed/event-stream.ts";
import { defaultMaxWrongKeys } from "../src/http/access/authentication.ts";
import { defaultMaxEventReaders } from "../src/http/app.ts";
import { maxExports } from "../src/http/export-route.ts";
import { metricsIdleMs } from "../src/http/monitoring/metrics-endpoint.ts";
import { defaultBodyMemoryLimits } from "../src/http/request/body-memory.ts";
import { defaultUnreadBodyLimits } from "../src/http/request/unread-body.ts";
import { defaultRouteLimits } from "../src/http/route-parts.ts";
import { maxAnonymousShare } from "../src/http/server.ts";
import { maxWaitingBytes as maxLogBytes, maxWriteDelayMs as maxLogDelayMs } from "../src/log/log.ts";
import { bodyLimits, headLimits } from "../src/operations/fields.ts";
import { maxLockMs } from "../src/store/sqlite/connection/connect.ts";
import { maxReadThroughBytes } from "../src/store/sqlite/file/examine.ts";
import { maxSilenceMs } from "../src/store/sqlite/writer/writer.ts";
import { maxWaitMs } from "../src/store/write-queue.ts";
import { maxCloseMs as maxTraceCloseMs, maxDelayMs as maxTraceDelayMs } from "../src/tracing/otlp-exporter.ts";
import { defaultResponseTimeoutMs } from "../src/webhooks/webhook-engine.ts";
import { defaultMaxBufferedBytes } from "../src/wire/buffer-limit.ts";
import { maxFields } from "../src/wire/fields.ts";
import { uncountedBodyBytes } from "../src/wire/incoming-body.ts";
import { defaultConnectionLimits } from "../src/wire/wire-server.ts";
import { projectFolder } from "./support/program.ts";

const toSeconds = (milliseconds: number) => milliseconds / 1_000;
const toMebibytes = (bytes: number) => bytes / 1_024 / 1_024;
const toNumberWord = (count: number) => ["none", "one", "two", "three", "four", "five"][count] ?? String(count);
const { idleMs, headMs, stalledMs, lingerMs } = defaultConnectionLimits;
const { maxBytes: unreadBytes, timeoutMs: unreadMs, throttledTimeoutMs, maxConcurrent } = defaultUnreadBodyLimits;
const bodyMemory = defaultBodyMemoryLimits;

/** The sentences of the guides that state a limit. Other tests use shorter limits, so they would not notice a wrong sentence. */
test.each<[page: string, sentences: readonly string[]]>([
  [
    "SECURITY.md",
    [
      `Wrong ones get 429, after ${defaultMaxWrongKeys} in a minute from one IP address`,
      `hold at most ${toMebibytes(defaultMaxBufferedBytes)} MiB together`,
    ],
  ],
  [
    "docs/api.md",
    [
      `at most ${bodyLimits.kibibytes} KiB; more for [a batch]`,
      `arrives within ${bodyLimits.seconds} seconds | 408`,
      `at most ${bodyLimits.chunks.toLocaleString("en")} chunks`,
      `for up to ${unreadMs === 1_000 ? "a second" : unreadMs} (for ${throttledTimeoutMs === 100 ? "a tenth of a second" : throttledTimeoutMs} with 429)`,
      `if the body is above ${toMebibytes(unreadBytes)} MiB`,
      `if ${maxConcurrent} other bodies are being received this way`,
      `For ${toNumberWord(toSeconds(lingerMs))} seconds, it then still reads what you send`,
      `receives up to ${toMebibytes(bodyMemory.maxBytes)} MiB of large bodies at a time, ${toMebibytes(bodyMemory.maxBytesPerFamily)} MiB of them by one key, not counting the first ${uncountedBodyBytes / 1_024} KiB of each`,
      `A comment comes about every ${toSeconds(heartbeatMs)} seconds`,
      `takes next to nothing for ${toSeconds(defaultRouteLimits.readerTimeoutMs)} seconds`,
      `less than ${defaultRouteLimits.minExportBytesPerMs} KB/s for ${toSeconds(defaultRouteLimits.readerTimeoutMs)} seconds`,
      `A key may have ${defaultMaxEventReaders} streams and waiting requests`,
      `up to ${maxInventoryCount.toLocaleString("en")} with each status`,
      `After ${defaultMaxWrongKeys} different unknown keys within a minute`,
      `more than ${maxFields} header fields`,
      `The first ${maxFoldedBytes.toLocaleString("en")} bytes of a folded name`,
      `headers above ${headLimits.kibibytes} KiB`,
    ],
  ],
  [
    "docs/running.md",
    [
      `only part of the headers of a request, are closed after ${toSeconds(headMs)} seconds`,
      `do not read their response after ${toSeconds(idleMs)} (on \`--metrics-port\` after ${toSeconds(metricsIdleMs)})`,
      `Beyond ${maxAnonymousShare === 3 / 4 ? "three quarters" : maxAnonymousShare}, the rest is kept for operations with a valid key`,
      `have not read any of theirs for ${toNumberWord(toSeconds(stalledMs))} seconds`,
      `files apart, may hold ${toMebibytes(defaultMaxBufferedBytes)} MiB together`,
      `up to ${toMebibytes(maxLogBytes)} MiB of lines are buffered`,
      `with a delay of at most ${maxLogDelayMs} milliseconds`,
      `takes up to ${toSeconds(maxTraceCloseMs)} seconds longer`,
      `and so on up to ${toSeconds(maxTraceDelayMs)}`,
      `does not respond within ${toSeconds(maxHealthMs)} seconds`,
      `Requests that take longer than ${toSeconds(drainMilliseconds)} seconds are aborted`,
      `cannot be closed within ${toSeconds(shutdownTimeoutMs)} seconds`,
      `up to ${toSeconds(maxWaitMs)} seconds for each other and ${toSeconds(maxLockMs)} for that program`,
      `a write takes longer than ${toSeconds(defaultRouteLimits.operationMs)} seconds`,
      `when it has not responded for ${toSeconds(maxSilenceMs)} seconds`,
      `a file of up to ${toMebibytes(maxReadThroughBytes)} MiB is checked for damage`,
      `changed for ${abandonedAfterMs === 24 * 60 * 60 * 1_000 ? "a day" : abandonedAfterMs}`,
    ],
  ],
  ["docs/webhooks.md", [`within ${toSeconds(defaultResponseTimeoutMs)} seconds`]],
  [
    "docs/operating.md",
    [
      `${defaultMaxWrongKeys} different wrong keys a minute from an address`,
      `${defaultMaxEventReaders} streams and waiting requests at a time for each key`,
      `${toNumberWord(maxExports)} exports at a time`,
      `${toMebibytes(bodyMemory.maxBytes)} MiB of large bodies that are being received, of each key ${toMebibytes(bodyMemory.maxBytesPerFamily)}`,
    ],
  ],
  [
    "docs/observability/README.md",
    [
      `incomplete request bodies beyond the first ${uncountedBodyBytes / 1_024} KiB of each; there is room for ${toMebibytes(bodyMemory.maxBytes)} MiB`,
      `beyond ${toMebibytes(defaultMaxBufferedBytes)} MiB, the clients that have not read for the longest are disconnected`,
      `beyond ${toMebibytes(defaultMaxBufferedBytes)} MiB, the clients whose input has not moved`,
    ],
  ],
])("%s states the limits of the service", (page, sentences) => {
  const text = readFileSync(join(projectFolder, page), "utf8").replace(/\s+/g, " ");
  expect(sentences.filter((sentence) => !text.includes(sentence))).toEqual([]);
});
