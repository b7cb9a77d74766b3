import { readFileSync } from "node:fs";
import { Client } from "../support/client.ts";
import { engine, makeDatabase, urlOf } from "../support/database.ts";
import { RunningProgram } from "../support/program.ts";
import { webhookKey } from "../support/webhooks.ts";
import { type Case, generateCase } from "./cases.ts";
import { Connection } from "./connection.ts";
import { Ledger } from "./ledger.ts";
import { Oracle } from "./oracle.ts";
import { startReceivers } from "./receivers.ts";
import type { WireResponse } from "./responses.ts";
import { ServiceLog } from "./service-log.ts";
import { compareWithStore } from "./store-check.ts";
import { formatTranscript, Tally } from "./tally.ts";
import { addWebhooks, configuredKey, fillStore, readEtagsAndPaths, secretsOf, type World } from "./world.ts";

export interface FuzzOptions {
  readonly seed: number;
  readonly cases: Iterable<number>;
  readonly count: number;
  readonly connectionCount: number;
  /** Time limit of a required response. */
  readonly limitMs: number;
  readonly onCase?: (fuzzCase: Case, responses: readonly WireResponse[], rest: Buffer) => void;
}

/** Sends cases to the program, started as users start it, and checks the responses, the log and the stored data. */
export async function fuzz(options: FuzzOptions): Promise<Tally> {
  await using database = await makeDatabase(engine);
  const { keys, wrongKeys } = await fillStore(database.address);
  await using program = await RunningProgram.start(urlOf(database), {
    args: serviceArgs,
    environment: { ANIMAL_STORE_API_KEY: configuredKey, ANIMAL_STORE_WEBHOOK_KEY: webhookKey },
  });
  await using receivers = startReceivers();
  // Kills the service when this process exits, because a service that is stopped by SIGSTOP never exits by itself.
  process.once("exit", () => program.child.kill("SIGKILL"));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const client = new Client(program.client.url, configuredKey);
  const tally = new Tally(options.seed);
  const ledger = new Ledger(tally);
  const world = { keys, wrongKeys, etags: [], pagePaths: [], receiverUrls: receivers.urls };
  const log = new ServiceLog(secretsOf(world), (line) => ledger.noteLine(line));
  const logEnd = log.read(program.child.stderr);
  const completeWorld: World = { ...world, ...(await readEtagsAndPaths(client)) };
  await addWebhooks(client, receivers.urls);
  const document = (await client.call("/v1/openapi.json")).json;

  const run = new FuzzRun(options, program, completeWorld, new Oracle(document), tally, ledger);
  await run.runAll();
  if (tally.shouldStop) return tally;

  for (const address of ["/healthz", "/readyz"]) {
    const status = (await client.call(address)).status;
    if (status !== 200) tally.failRun(`${address} is ${status} after the run.`);
  }
  const inventory = (await client.call("/v1/store/inventory")).json;
  const exitCode = await program.signal("SIGTERM");
  if (exitCode !== 0) tally.failRun(`The program ended with ${exitCode}.`);
  await logEnd;
  const { user, system } = process.cpuUsage();
  const cpuUs = Number(program.child.resourceUsage()?.cpuTime.total ?? 0);
  tally.notes.push(
    `CPU for a case: ${Math.round((user + system) / tally.caseCount)} us here, ${Math.round(cpuUs / tally.caseCount)} us in the service.`,
  );
  tally.notes.push(`Receivers of webhooks got ${receivers.receivedCount} events.`);
  tally.notes.push(`The slowest request by the service's own clock: ${JSON.stringify(ledger.slowest)}`);
  tally.acceptedEventCount = receivers.acceptedCount;
  for (const problem of log.problems) tally.failRun(problem);
  ledger.finish(log.refusalCount);
  await compareWithStore(database.address, inventory, ledger, tally);
  return tally;
}

/** Options that enable as many features as possible, with limits that the cases do not reach. */
const serviceArgs = [
  ...["--log-level", "debug"],
  ...["--rate-limit", "1000000"],
  ...["--anonymous-limit", "1000000"],
  ...["--trusted-proxy", "127.0.0.1"],
  ...["--cors-origin", "https://shop.example"],
  ...["--webhook-allow", "127.0.0.1/32"],
];

class FuzzRun {
  readonly #parkedCases = new Set<Promise<void>>();
  /** Cases whose outcome is still unknown. */
  readonly #inFlight = new Set<number>();
  #probe: Promise<boolean> | undefined;

  constructor(
    readonly options: FuzzOptions,
    readonly program: RunningProgram,
    readonly world: World,
    readonly oracle: Oracle,
    readonly tally: Tally,
    readonly ledger: Ledger,
  ) {}

  async runAll(): Promise<void> {
    const start = performance.now();
    const indexes = this.options.cases[Symbol.iterator]();
    await Promise.all(Array.from({ length: this.options.connectionCount }, () => this.#work(indexes)));
    await Promise.all(this.#parkedCases);
    this.tally.seconds = (performance.now() - start) / 1000;
  }

  async #work(indexes: Iterator<number>): Promise<void> {
    let connection: Connection | undefined;
    for (let next = indexes.next(); !next.done; next = indexes.next()) {
      if (this.tally.shouldStop) break;
      const fuzzCase = generateCase(this.options.seed, next.value, this.world);
      if (!connection || connection.isEnded || fuzzCase.ending !== "keep") {
        connection?.close();
        connection = await this.#open();
        if (!connection) break;
      }
      this.tally.caseCount++;
      this.#sampleMemory();
      this.tally.count("kinds", fuzzCase.kind);
      connection = await this.#run(fuzzCase, connection);
    }
    connection?.close();
  }

  async #open(): Promise<Connection | undefined> {
    try {
      return await Connection.open(this.program.client.url);
    } catch (error) {
      this.tally.failRun(
        `The program no longer accepts connections: ${error}. It ended with ${this.program.child.exitCode}.`,
      );
      this.tally.shouldStop = true;
      return undefined;
    }
  }

  /** Runs a case. Returns the connection if the next case can reuse the connection. */
  async #run(fuzzCase: Case, connection: Connection): Promise<Connection | undefined> {
    this.#inFlight.add(fuzzCase.index);
    const responses: WireResponse[] = [];
    for (const [place, bytes] of fuzzCase.writes.entries()) {
      if (place > 0) await Bun.sleep(fuzzCase.pauseMs);
      connection.send(bytes);
    }
    if (fuzzCase.ending === "half-close") connection.halfClose();
    const sentAt = performance.now();
    if (fuzzCase.ending === "abandon") this.#abandon(fuzzCase, connection);
    else if (fuzzCase.due === "nothing") await this.#park(fuzzCase, connection, responses, sentAt);
    else {
      const firstByteAt = await this.#collect(
        fuzzCase,
        connection,
        responses,
        fuzzCase.requests.length,
        sentAt,
        this.options.limitMs,
      );
      if (fuzzCase.due === "responses" && firstByteAt !== undefined) this.tally.latencies.push(firstByteAt - sentAt);
      await this.#reportMissingResponses(fuzzCase, connection, responses);
      this.#finish(fuzzCase, connection, responses);
    }
    const isReusable =
      fuzzCase.ending === "keep" && !connection.isEnded && responses.length === 1 && !closesConnection(responses[0]);
    if (isReusable) return connection;
    if (fuzzCase.due !== "nothing") connection.close();
    return undefined;
  }

  #abandon(fuzzCase: Case, connection: Connection): void {
    connection.close();
    // The service may still process the abandoned request, so if the service freezes, this case may be the cause.
    setTimeout(() => this.#inFlight.delete(fuzzCase.index), this.options.limitMs).unref();
  }

  /** Waits for optional responses in the background, while the worker runs other cases. */
  async #park(fuzzCase: Case, connection: Connection, responses: WireResponse[], sentAt: number): Promise<void> {
    while (this.#parkedCases.size >= maxParkedCases) await Promise.race(this.#parkedCases);
    const parked = this.#collect(fuzzCase, connection, responses, fuzzCase.requests.length, sentAt, graceMs).then(
      () => {
        const missing = fuzzCase.requests.length - responses.length;
        if (missing > 0) this.tally.count("without a response", fuzzCase.kind, missing);
        this.#finish(fuzzCase, connection, responses);
        connection.close();
        this.#parkedCases.delete(parked);
      },
    );
    this.#parkedCases.add(parked);
  }

  /** Reads the responses. A response that has begun must progress within the limit. Returns the time at which the first response began. */
  async #collect(
    fuzzCase: Case,
    connection: Connection,
    responses: WireResponse[],
    expectedCount: number,
    sentAt: number,
    limitMs: number,
  ): Promise<number | undefined> {
    let firstByteAt: number | undefined;
    let progressAt = sentAt;
    let previousLength = 0;
    for (;;) {
      const { hasBegun, rest } = connection.responses;
      if (hasBegun && rest.length > previousLength) {
        progressAt = performance.now();
        firstByteAt ??= progressAt;
      }
      previousLength = rest.length;
      const { method = "" } = fuzzCase.requests[responses.length] ?? {};
      let response: WireResponse | undefined;
      try {
        response = connection.responses.next(method === "HEAD", connection.isEnded);
      } catch (error) {
        this.tally.failCase(fuzzCase, `The response is not HTTP: ${error}`, responses, connection.responses.rest);
        connection.close();
        return firstByteAt;
      }
      if (response) {
        this.#judge(fuzzCase, responses.length, response, responses);
        responses.push(response);
        if (response.isEndless) {
          connection.close();
          return firstByteAt;
        }
      } else if (responses.length >= expectedCount || connection.isEnded) return firstByteAt;
      else {
        const remainingMs = limitMs - (performance.now() - progressAt);
        if (remainingMs <= 0) return firstByteAt;
        await connection.waitForChange(remainingMs);
      }
    }
  }

  #judge(fuzzCase: Case, index: number, response: WireResponse, earlierResponses: readonly WireResponse[]): void {
    const request = fuzzCase.requests[index];
    const { belongsToRequest, problems } = this.oracle.judge(fuzzCase, request, response);
    this.tally.count(belongsToRequest ? "statuses" : "refused as malformed", String(response.status));
    for (const problem of problems) this.tally.failCase(fuzzCase, problem, [...earlierResponses, response]);
    if (belongsToRequest) this.ledger.noteResponse(fuzzCase, response);
  }

  async #reportMissingResponses(
    fuzzCase: Case,
    connection: Connection,
    responses: readonly WireResponse[],
  ): Promise<void> {
    if (responses.length >= fuzzCase.requests.length || this.tally.shouldStop) return;
    if (connection.isEnded && fuzzCase.due === "reaction") {
      if (responses.length === 0) this.tally.count("closed without a response", fuzzCase.kind);
    } else if (connection.isEnded) this.tally.failCase(fuzzCase, "The connection ended without a response.", responses);
    else if (await this.#isResponsive())
      this.tally.failCase(fuzzCase, `There was no response within ${this.options.limitMs} ms.`, responses);
    else if (!this.tally.shouldStop) {
      this.tally.shouldStop = true;
      const { seed } = this.options;
      this.tally.failRun(
        `The service no longer responds. One of these cases is the cause: FUZZ_SEED=${seed} FUZZ_ONLY=${[...this.#inFlight].join(",")}\n${formatTranscript(seed, fuzzCase, responses)}`,
      );
    }
  }

  #isResponsive(): Promise<boolean> {
    this.#probe ??= this.#open().then(async (connection) => {
      connection?.send(Buffer.from("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
      const sentAt = performance.now();
      const remainingMs = () => this.options.limitMs - (performance.now() - sentAt);
      let hasResponse = false;
      while (connection && !hasResponse && !connection.isEnded && remainingMs() > 0) {
        await connection.waitForChange(remainingMs());
        hasResponse = connection.responses.next(false) !== undefined;
      }
      connection?.close();
      this.#probe = undefined;
      return hasResponse;
    });
    return this.#probe;
  }

  #finish(fuzzCase: Case, connection: Connection, responses: readonly WireResponse[]): void {
    this.#inFlight.delete(fuzzCase.index);
    const { rest } = connection.responses;
    if (fuzzCase.due === "responses" && rest.length > 0)
      this.tally.failCase(fuzzCase, "There were more responses than requests.", responses, rest);
    this.options.onCase?.(fuzzCase, responses, rest);
  }

  #sampleMemory(): void {
    const { caseCount, memorySamples, failures } = this.tally;
    const { count } = this.options;
    const sampleInterval = Math.max(1, Math.floor(count / 100));
    if (caseCount % sampleInterval !== 0) return;
    const bytes = readResidentBytes(this.program.child.pid);
    memorySamples.push(bytes);
    if (count >= 100_000 && caseCount % (10 * sampleInterval) === 0) {
      console.log(`${caseCount} cases, ${Math.round(bytes / 2 ** 20)} MiB, ${failures.length} failures`);
      for (const [name, times] of this.tally.countsOf("failures")) console.log(`  ${times} times: ${name}`);
    }
  }
}

/** Time limit of an optional response. A later response is ignored. */
const graceMs = 250;
const maxParkedCases = 256;

function closesConnection(response: WireResponse | undefined): boolean {
  return response?.headers.some(([name, value]) => name === "connection" && value === "close") ?? true;
}

function readResidentBytes(pid: number): number {
  if (process.platform !== "linux") {
    return Number(Bun.spawnSync(["ps", "-o", "rss=", "-p", String(pid)]).stdout.toString()) * 1024;
  }
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0) * 1024;
}
