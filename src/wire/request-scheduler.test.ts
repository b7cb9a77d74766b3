import { expect, test } from "bun:test";
import { nextTick } from "../base/tick.ts";
import { RequestScheduler, type Scheduled, type Urgency } from "./request-scheduler.ts";

/** A connection with `remaining` pipelined requests, of which at most two are processed per tick. */
class FakeConnection implements Scheduled {
  #requestsInTick = 0;

  constructor(
    readonly scheduler: RequestScheduler,
    readonly processed: string[],
    readonly name: string,
    readonly urgency: Urgency,
    public remaining: number,
  ) {}

  advance(): void {
    while (this.remaining > 0 && this.scheduler.admit(this, this.#requestsInTick < 2)) {
      this.#requestsInTick++;
      this.remaining--;
      this.processed.push(this.name);
    }
  }

  proceed(): void {
    this.#requestsInTick = 0;
    this.advance();
  }
}

function startScheduler() {
  const scheduler = new RequestScheduler();
  const processed: string[] = [];
  const connect = (name: string, urgency: Urgency, requests: number) =>
    new FakeConnection(scheduler, processed, name, urgency, requests);
  return { processed, connect };
}

/** Queues all connections, then gives each connection more requests, and resolves once those requests are processed. */
async function waitUntilProcessed(connections: readonly FakeConnection[], requests: number): Promise<void> {
  for (const connection of connections) {
    connection.advance();
    connection.remaining = requests;
  }
  connections[0]?.processed.splice(0);
  while (connections.some(({ remaining }) => remaining > 0)) await nextTick();
}

test("a request on an idle service is processed as it arrives", () => {
  const { processed, connect } = startScheduler();
  connect("only", "fresh", 1).advance();
  expect(processed).toEqual(["only"]);
});

test("connections with many requests are served round-robin", async () => {
  const { processed, connect } = startScheduler();
  const all = ["a", "b", "c"].map((name) => connect(name, "backlog", 6));
  await waitUntilProcessed(all, 6);
  expect(processed.join("")).toBe("aabbcc".repeat(3));
});

test("queued connections are served by urgency: probes, trusted, fresh, backlog", async () => {
  const { processed, connect } = startScheduler();
  const all = (["backlog", "fresh", "trusted", "probe"] as const).map((urgency) => connect(urgency, urgency, 3));
  await waitUntilProcessed(all, 1);
  expect(processed).toEqual(["probe", "trusted", "fresh", "backlog"]);
});

test("connections of each urgency are served in each tick, however many others are more urgent", async () => {
  const { processed, connect } = startScheduler();
  const all = (["probe", "trusted", "fresh", "backlog"] as const).map((urgency) =>
    connect(urgency, urgency, 1_000_000_000),
  );
  for (const connection of all) connection.advance();
  processed.length = 0;
  await nextTick();
  await nextTick();
  expect(new Set(processed)).toEqual(new Set(["probe", "trusted", "fresh", "backlog"]));
  for (const connection of all) connection.remaining = 0;
});
