import { connect } from "node:net";
import type { ServiceParts } from "../../src/cli/serve/service.ts";
import type { NewPet } from "../../src/domain/pet.ts";
import type { Store } from "../../src/store/store.ts";
import { engine, makeEmptyDatabase } from "./database.ts";
import { parseScrape } from "./prometheus.ts";
import { startServiceOn, type TestService } from "./service.ts";
import { until } from "./wait.ts";

/** A connection that sends a request, but reads its response only when `readChunk` or `readRest` is called. */
export class StalledConnection implements Disposable {
  readonly #socket;
  readonly #closed: Promise<unknown>;

  constructor({ port, hostname }: URL, request: string) {
    this.#socket = connect(Number(port), hostname).pause();
    this.#socket.on("error", () => {});
    this.#closed = new Promise((resolve) => this.#socket.on("close", resolve));
    this.#socket.write(request);
  }

  send(bytes: string): void {
    this.#socket.write(bytes);
  }

  /** Reads one chunk, and returns its length; 0 once the connection has ended. */
  async readChunk(): Promise<number> {
    const chunk = new Promise<Buffer>((resolve) => {
      this.#socket.once("data", (data) => {
        this.#socket.pause();
        resolve(data as Buffer);
      });
      this.#socket.resume();
    });
    return await Promise.race([chunk.then(({ length }) => length), this.#closed.then(() => 0)]);
  }

  async readRest(): Promise<string> {
    let text = "";
    this.#socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    this.#socket.resume();
    await this.#closed;
    return text;
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

/** Size of a body that exceeds the buffers on both sides of a connection. */
export const largeBodyBytes = 10_000_000;

/** Makes a database with `largeBodyBytes` of animals and their events, which services can use one after another. */
export async function makeLargeDatabase(): Promise<
  { start(parts?: Partial<ServiceParts>): Promise<TestService> } & AsyncDisposable
> {
  const database = await makeEmptyDatabase(engine);
  const sharedDatabase = { ...database, async [Symbol.asyncDispose]() {} };
  const start = (parts?: Partial<ServiceParts>) => startServiceOn(sharedDatabase, parts);
  await using service = await start();
  const { store } = service;
  const animal = { name: "🐕".repeat(250), categoryId: 1, status: "available" } as const;
  const count = Math.ceil(largeBodyBytes / Buffer.byteLength(animal.name));
  await addAnimals(store, animal, count);
  await until(async () => ((await store.events.ends())?.newest.position ?? 0) >= count);
  return { start, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

export async function addAnimals({ pets }: Store, animal: NewPet, count: number): Promise<void> {
  const batchSize = 1_000;
  for (let remaining = count; remaining > 0; remaining -= batchSize) {
    await pets.createAll(Array.from({ length: Math.min(remaining, batchSize) }, () => animal));
  }
}

/** Waits until this number of requests are completed or in flight. */
export async function untilStarted(service: TestService, count: number): Promise<void> {
  await until(async () => {
    const { completed, inFlight } = await countRequests(service);
    return completed + inFlight >= count;
  });
}

/** Waits until this number of requests are completed and none is in flight. */
export async function untilCompleted(service: TestService, count: number): Promise<void> {
  await until(async () => {
    const { completed, inFlight } = await countRequests(service);
    return completed >= count && inFlight === 0;
  });
}

async function countRequests({ metrics }: TestService): Promise<{ completed: number; inFlight: number }> {
  const scrape = parseScrape(await metrics.render());
  const completed = scrape.find("animal_store_requests_total").reduce((sum, { value }) => sum + value, 0);
  return { completed, inFlight: scrape.value("animal_store_requests_in_flight") };
}
