import { readFileSync } from "node:fs";
import { Client } from "../support/client.ts";
import { engine, makeDatabase, urlOf } from "../support/database.ts";
import { RunningProgram } from "../support/program.ts";
import { webhookKey } from "../support/webhooks.ts";
import { type Case, caseOf } from "./cases.ts";
import { Connection } from "./connection.ts";
import { Ledger } from "./ledger.ts";
import { Oracle } from "./oracle.ts";
import { startReceivers } from "./receivers.ts";
import type { WireResponse } from "./responses.ts";
import { ServiceLog } from "./service-log.ts";
import { compareWithStore } from "./stored.ts";
import { formatTranscript, Tally } from "./tally.ts";
import { addWebhooks, configuredKey, fillStore, readEtagsAndPaths, secretsOf, type World } from "./world.ts";

export interface FuzzOptions {
  readonly seed: number;
  readonly cases: Iterable<number>;
  readonly count: number;
  readonly connectionCount: number;
  /** Time limit of a required response. */
  readonly limitMs: number;
  readonly onCase?: (one: Case, responses: readonly WireResponse[], rest: Buffer) => void;
}

/** Sends cases to the program, started as users start it, and checks the responses, the log and the stored data. */
export async function fuzz(options: FuzzOptions): Promise<Tally> {
  await using database = await makeDatabase(engine);
  const { keys, wrongKeys } = await fillStore(database.address);
  await using program = await RunningProgram.start(urlOf(database), {
    args: settings,
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
  const known: World = { ...world, ...(await readEtagsAndPaths(client)) };
  await addWebhooks(client, receivers.urls);
  const document = (await client.call("/v1/openapi.json")).json;

  const run = new FuzzRun(options, program, known, new Oracle(document), tally, ledger);
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
    `CPU for a case: ${Math.round((user + system) / tally.cases)} us here, ${Math.round(cpuUs / tally.cases)} us in the service.`,
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
const settings = [
  ...["--log-level", "debug"],
  ...["--rate-limit", "1000000"],
  ...["--anonymous-limit", "1000000"],
  ...["--trusted-proxy", "127.0.0.1"],
  ...["--cors-origin", "https://shop.example"],
  ...["--webhook-allow", "127.0.0.1/32"],
];

class FuzzRun {
  readonly #parked = new Set<Promise<void>>();
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
    await Promise.all(this.#parked);
    this.tally.seconds = (performance.now() - start) / 1000;
  }

  async #work(indexes: Iterator<number>): Promise<void> {
    let connection: Connection | undefined;
    for (let next = indexes.next(); !next.done; next = indexes.next()) {
      if (this.tally.shouldStop) break;
      const one = caseOf(this.options.seed, next.value, this.world);
      if (!connection || connection.isEnded || one.ending !== "keep") {
        connection?.close();
        connection = await this.#open();
        if (!connection) break;
      }
      this.tally.cases++;
      this.#sampleMemory();
      this.tally.count("kinds", one.kind);
      connection = await this.#run(one, connection);
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
  async #run(one: Case, connection: Connection): Promise<Connection | undefined> {
    this.#inFlight.add(one.index);
    const responses: WireResponse[] = [];
    for (const [place, bytes] of one.writes.entries()) {
      if (place > 0) await Bun.sleep(one.pauseMs);
      connection.send(bytes);
    }
    if (one.ending === "half-close") connection.halfClose();
    const sent = performance.now();
    if (one.ending === "abandon") this.#abandon(one, connection);
    else if (one.due === "nothing") await this.#park(one, connection, responses, sent);
    else {
      const begin = await this.#collect(one, connection, responses, one.requests.length, sent, this.options.limitMs);
      if (one.due === "responses" && begin !== undefined) this.tally.latencies.push(begin - sent);
      await this.#reportMissingResponses(one, connection, responses);
      this.#finish(one, connection, responses);
    }
    const isReusable =
      one.ending === "keep" && !connection.isEnded && responses.length === 1 && !closesConnection(responses[0]);
    if (isReusable) return connection;
    if (one.due !== "nothing") connection.close();
    return undefined;
  }

  #abandon(one: Case, connection: Connection): void {
    connection.close();
    // The service may still process the abandoned request, so if the service freezes, this case may be the cause.
    setTimeout(() => this.#inFlight.delete(one.index), this.options.limitMs).unref();
  }

  /** Waits for optional responses in the background, while the worker runs other cases. */
  async #park(one: Case, connection: Connection, responses: WireResponse[], sent: number): Promise<void> {
    while (this.#parked.size >= maxParked) await Promise.race(this.#parked);
    const parked = this.#collect(one, connection, responses, one.requests.length, sent, graceMs).then(() => {
      const missing = one.requests.length - responses.length;
      if (missing > 0) this.tally.count("without a response", one.kind, missing);
      this.#finish(one, connection, responses);
      connection.close();
      this.#parked.delete(parked);
    });
    this.#parked.add(parked);
  }

  /** Reads the responses. A response that has begun must progress within the limit. Returns the time at which the first response began. */
  async #collect(
    one: Case,
    connection: Connection,
    responses: WireResponse[],
    wanted: number,
    sent: number,
    limitMs: number,
  ): Promise<number | undefined> {
    let begin: number | undefined;
    let progressAt = sent;
    let before = 0;
    for (;;) {
      const { hasBegun, rest } = connection.responses;
      if (hasBegun && rest.length > before) {
        progressAt = performance.now();
        begin ??= progressAt;
      }
      before = rest.length;
      const { method = "" } = one.requests[responses.length] ?? {};
      let response: WireResponse | undefined;
      try {
        response = connection.responses.next(method === "HEAD", connection.isEnded);
      } catch (error) {
        this.tally.failCase(one, `The response is not HTTP: ${error}`, responses, connection.responses.rest);
        connection.close();
        return begin;
      }
      if (response) {
        this.#judge(one, responses.length, response, responses);
        responses.push(response);
        if (response.isEndless) {
          connection.close();
          return begin;
        }
      } else if (responses.length >= wanted || connection.isEnded) return begin;
      else {
        const left = limitMs - (performance.now() - progressAt);
        if (left <= 0) return begin;
        await connection.nextChange(left);
      }
    }
  }

  #judge(one: Case, place: number, response: WireResponse, before: readonly WireResponse[]): void {
    const request = one.requests[place];
    const { belongsToRequest, problems } = this.oracle.judge(one, request, response);
    this.tally.count(belongsToRequest ? "statuses" : "refused as malformed", String(response.status));
    for (const problem of problems) this.tally.failCase(one, problem, [...before, response]);
    if (belongsToRequest) this.ledger.noteResponse(one, response);
  }

  async #reportMissingResponses(one: Case, connection: Connection, responses: readonly WireResponse[]): Promise<void> {
    if (responses.length >= one.requests.length || this.tally.shouldStop) return;
    if (connection.isEnded && one.due === "reaction") {
      if (responses.length === 0) this.tally.count("closed without a response", one.kind);
    } else if (connection.isEnded) this.tally.failCase(one, "The connection ended without a response.", responses);
    else if (await this.#isResponsive())
      this.tally.failCase(one, `There was no response within ${this.options.limitMs} ms.`, responses);
    else if (!this.tally.shouldStop) {
      this.tally.shouldStop = true;
      const { seed } = this.options;
      this.tally.failRun(
        `The service no longer responds. One of these cases is the cause: FUZZ_SEED=${seed} FUZZ_ONLY=${[...this.#inFlight].join(",")}\n${formatTranscript(seed, one, responses)}`,
      );
    }
  }

  #isResponsive(): Promise<boolean> {
    this.#probe ??= this.#open().then(async (connection) => {
      connection?.send(Buffer.from("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
      const sent = performance.now();
      const left = () => this.options.limitMs - (performance.now() - sent);
      let hasResponse = false;
      while (connection && !hasResponse && !connection.isEnded && left() > 0) {
        await connection.nextChange(left());
        hasResponse = connection.responses.next(false) !== undefined;
      }
      connection?.close();
      this.#probe = undefined;
      return hasResponse;
    });
    return this.#probe;
  }

  #finish(one: Case, connection: Connection, responses: readonly WireResponse[]): void {
    this.#inFlight.delete(one.index);
    const { rest } = connection.responses;
    if (one.due === "responses" && rest.length > 0)
      this.tally.failCase(one, "There were more responses than requests.", responses, rest);
    this.options.onCase?.(one, responses, rest);
  }

  #sampleMemory(): void {
    const { cases, memory, failures } = this.tally;
    const { count } = this.options;
    const step = Math.max(1, Math.floor(count / 100));
    if (cases % step !== 0) return;
    const bytes = residentBytes(this.program.child.pid);
    memory.push(bytes);
    if (count >= 100_000 && cases % (10 * step) === 0) {
      console.log(`${cases} cases, ${Math.round(bytes / 2 ** 20)} MiB, ${failures.length} failures`);
      for (const [name, times] of this.tally.countsOf("failures")) console.log(`  ${times} times: ${name}`);
    }
  }
}

/** Time limit of an optional response. A later response is ignored. */
const graceMs = 250;
const maxParked = 256;

function closesConnection(response: WireResponse | undefined): boolean {
  return response?.headers.some(([name, value]) => name === "connection" && value === "close") ?? true;
}

function residentBytes(pid: number): number {
  if (process.platform !== "linux") {
    return Number(Bun.spawnSync(["ps", "-o", "rss=", "-p", String(pid)]).stdout.toString()) * 1024;
  }
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0) * 1024;
}
