import { expect } from "bun:test";
import { type Client, nextPageOf } from "../support/client.ts";
import { testUnless } from "../support/conditional-test.ts";
import { Deployment } from "../support/deployment.ts";
import { type Message, openStream } from "../support/event-source.ts";
import { haProxySkipReason } from "../support/haproxy.ts";
import { Nginx, NginxClient, nginxSkipReason } from "../support/nginx.ts";
import { startService } from "../support/service.ts";
import { pause, until } from "../support/wait.ts";

const rex = { name: "Rex", categoryId: 7 };

testUnless(
  nginxSkipReason,
  "streams through nginx deliver each event immediately, and end when the service stops",
  async () => {
    await using service = await startService();
    await using nginx = await Nginx.start(service.client.url);
    const client = new NginxClient(nginx.url, service.client.key);
    const stream = await openStream(client, "/v1/events?cursor=latest");
    expect(stream.headers.get("content-encoding")).toBeNull();
    const messages = stream.messages();
    for (const subject of ["pets/1", "pets/2"]) {
      const next = messages.next();
      expect((await client.call("/v1/pets", { body: rex })).status).toBe(201);
      expect(((await next).value as Message).data.subject).toBe(subject);
    }
    const waiting = client.call("/v1/events?cursor=latest", { headers: { prefer: "wait=1" } });
    expect((await waiting).json).toEqual([]);
    const stopping = service.service.stop(60_000);
    expect((await messages.next()).done).toBe(true);
    expect(stream.otherBlocks.at(-1)).toMatch(/^retry: [0-9]+$/);
    await stopping;
  },
);

testUnless(
  haProxySkipReason,
  "streams through HAProxy resume without a gap when an instance is killed, and end when the instance stops",
  async () => {
    await using deployment = await Deployment.start();
    const client = deployment.client();
    const [one, two] = deployment.instances;
    // HAProxy must not close the long poll for lack of a response.
    const waiting = client.call("/v1/events?type=key.created", { headers: { prefer: "wait=25" } });
    const followers = Array.from({ length: 6 }, () => new Follower(client));
    const write = async (count: number) => {
      for (let round = 0; round < count; round++) {
        // HAProxy closes the connection of a client whose request was lost with the instance.
        await client.call("/v1/pets", { body: rex }).catch(() => {});
      }
    };
    await write(20);
    await until(() => followers.every(({ seen }) => seen.length === 20));
    expect((await waiting).json).toEqual([]);
    await Promise.all([write(100), one.signal("SIGKILL")]);
    await deployment.proxy.until(1, "events");
    await write(20);
    expect((await client.call("/v1/pets", { body: { ...rex, name: lastName } })).status).toBe(201);
    let all = await readAllEvents(client);
    await until(async () => {
      all = await readAllEvents(client);
      return all.at(-1)?.data.name === lastName;
    });
    for (const { seen } of followers) {
      await until(() => seen.length >= all.length);
      expect(seen).toEqual(all.map(({ id }) => id));
    }
    for (const follower of followers) follower.isDone = true;
    await two.signal("SIGTERM");
    for (const follower of followers) expect((await follower.otherBlocks).at(-1)).toMatch(/^retry: [0-9]+$/);
  },
);

/** Follows the stream until `isDone`, and resumes a broken stream. */
class Follower {
  readonly seen: string[] = [];
  /** The blocks of the last stream that contain no event. */
  readonly otherBlocks: Promise<string[]>;
  isDone = false;
  #cursor = "";

  constructor(readonly client: Client) {
    this.otherBlocks = this.#follow();
  }

  async #follow(): Promise<string[]> {
    for (let otherBlocks: string[] = []; ; await pause()) {
      try {
        const stream = await openStream(this.client, "/v1/events", this.#cursor ? { lastEventId: this.#cursor } : {});
        otherBlocks = stream.otherBlocks;
        for await (const { id, data } of stream.messages()) {
          this.seen.push(data.id);
          this.#cursor = id;
        }
      } catch {
        // The connection breaks when an instance is killed.
      }
      if (this.isDone) return otherBlocks;
    }
  }
}

async function readAllEvents(client: Client): Promise<Event[]> {
  const events: Event[] = [];
  for (let path: string | undefined = "/v1/events?limit=100"; path; ) {
    const response = await client.call(path);
    const page = response.json as Event[];
    events.push(...page);
    path = page.length > 0 ? nextPageOf(response) : undefined;
  }
  return events;
}

interface Event {
  readonly id: string;
  readonly data: { readonly name: string };
}

const lastName = "The last one";
