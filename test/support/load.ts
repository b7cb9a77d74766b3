import { expect } from "bun:test";
import { type Client, nextPageOf } from "./client.ts";
import { pauseLoad, until } from "./wait.ts";

/** Creates animals continuously, and records each acknowledged animal. Repeats a failed request with the same idempotency key. */
export class WriteLoad {
  readonly acknowledged = new Map<number, string>();
  /** Time of each acknowledgement, by `performance.now()`. */
  readonly times: number[] = [];
  newestId = 0;
  #isWriting = true;
  readonly #writers: Promise<unknown>;

  /** Takes the clients of one service or several, which take turns. */
  constructor(
    private readonly clients: readonly [Client, ...Client[]],
    private readonly prefix: string,
  ) {
    this.#writers = Promise.all(Array.from({ length: 8 }, (_, writer) => this.#write(writer)));
  }

  /** Waits until this many more animals have been acknowledged. */
  async untilMore(count: number): Promise<void> {
    const targetCount = this.acknowledged.size + count;
    await Promise.race([this.#writers, until(() => this.acknowledged.size >= targetCount)]);
  }

  async end(): Promise<void> {
    this.#isWriting = false;
    await this.#writers;
  }

  /** Requires that the list contains every acknowledged animal, and no name twice. */
  async requireAnimals(reader: Client): Promise<void> {
    const listedNames = new Map<number, string>();
    for await (const { id, name } of reader.walk("/v1/pets?limit=100")) {
      if (name.startsWith(this.prefix)) listedNames.set(id, name);
    }
    for (const [id, name] of this.acknowledged) expect(listedNames.get(id)).toBe(name);
    expect(new Set(listedNames.values()).size).toBe(listedNames.size);
  }

  /** Requires that the event log contains exactly one creation event for every acknowledged animal. */
  async requireEvents(reader: Client): Promise<void> {
    const counts = new Map<number, number>();
    for (let address = "/v1/events?type=pet.created&limit=100"; ; ) {
      const response = await reader.call(address);
      expect(response.status).toBe(200);
      const events = response.json as { data: { id: number } }[];
      for (const { data } of events) counts.set(data.id, (counts.get(data.id) ?? 0) + 1);
      if (events.length === 0) break;
      address = nextPageOf(response) ?? "";
    }
    for (const id of this.acknowledged.keys()) expect([id, counts.get(id)]).toEqual([id, 1]);
  }

  async #write(writer: number): Promise<void> {
    for (let round = 0, attempt = writer; this.#isWriting; attempt++) {
      const name = `${this.prefix}-${writer}-${round}`;
      const headers = { "idempotency-key": name };
      const client = this.clients[attempt % this.clients.length] ?? this.clients[0];
      const response = await client.call("/v1/pets", { body: { name, categoryId: 1 }, headers });
      if (response.status === 201) {
        const { id } = response.json as { id: number };
        expect(this.acknowledged.has(id)).toBe(false);
        this.acknowledged.set(id, name);
        this.newestId = id;
        this.times.push(performance.now());
        round++;
        await pauseLoad();
      } else {
        expect(response.status).toBeOneOf([409, 503]);
        if (response.status === 503) expect(response.headers.get("retry-after")).toBe("1");
        // A second service may respond sooner than the first.
        if (this.clients.length === 1) await Bun.sleep(Number(response.headers.get("retry-after") ?? 0) * 1_000);
        else await pauseLoad();
      }
    }
  }
}

export interface Readers extends AsyncDisposable {
  /** Waits until the given number of further reads has succeeded. Throws if any read has failed. */
  untilMore(count: number): Promise<void>;
}

/** Repeats reads in `count` concurrent loops until the returned object is disposed of. */
export function readContinuously(count: number, read: () => Promise<void>): Readers {
  let isReading = true;
  let readCount = 0;
  let failure: unknown;
  const readers = Array.from({ length: count }, async () => {
    try {
      while (isReading) {
        await read();
        readCount++;
        await pauseLoad();
      }
    } catch (error) {
      failure ??= error;
    }
  });
  const requireNoFailure = () => {
    if (failure !== undefined) throw failure;
  };
  return {
    async untilMore(additionalCount) {
      const targetCount = readCount + additionalCount;
      await until(() => {
        requireNoFailure();
        return readCount >= targetCount;
      });
    },
    async [Symbol.asyncDispose]() {
      isReading = false;
      await Promise.all(readers);
      requireNoFailure();
    },
  };
}
