import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CallOptions } from "../support/client.ts";
import { addKey } from "../support/keys.ts";
import { projectFolder } from "../support/program.ts";
import { Receiver } from "../support/receiver.ts";
import { startService, type TestService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";
import { addWebhook, fetchDeliveries, webhookOptions } from "../support/webhooks.ts";

interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
  readonly request?: {
    readonly method: string;
    readonly url: {
      readonly path: readonly string[];
      readonly query: readonly Field[];
      readonly variable: readonly Field[];
    };
    readonly header: readonly Field[];
    readonly body?: { readonly raw?: string };
  };
}

interface Field {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

const folder = temporaryFolder();
const receiver = await Receiver.start();
/** Receives only reads, so that all tests find the same sample data. */
const service = await startWithSampleData();
const requests = await generate("required.json", "parametersResolution=Example,enableOptionalParameters=false");
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Starts a service whose store has the ids of the document's examples. */
async function startWithSampleData(): Promise<TestService> {
  const started = await startService({ webhooks: webhookOptions });
  const { client, store } = started;
  await addKey(store, { scope: "write", name: "till 1" });
  for (const name of ["Rex", "Mia"]) await client.call("/v1/pets", { body: { name, categoryId: 7 } });
  await client.call("/v1/categories/7", { method: "PUT", body: { name: "Dogs" } });
  await client.call("/v1/store/orders", { body: { petId: 2 } });
  await addWebhook(client, receiver.url, ["pet.created"]);
  await client.call("/v1/pets", { body: { name: "Kim", categoryId: 7 } });
  await until(async () => (await fetchDeliveries(client))[0]?.outcome === "delivered");
  return started;
}

async function generate(name: string, options: string): Promise<Item[]> {
  const [source, output] = [join(folder.path, "openapi.json"), join(folder.path, name)];
  writeFileSync(source, (await service.client.call("/v1/openapi.json")).text);
  const tool = dirname(Bun.resolveSync("openapi-to-postmanv2/package.json", join(projectFolder, "generators")));
  const args = [join(tool, "bin/openapi2postmanv2.js"), "-s", source, "-o", output, "-O", options];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`The tool ended with ${status}: ${stdout}${stderr}`);
  const flattenRequests = (items: readonly Item[]): Item[] =>
    items.flatMap((item) => (item.request ? [item] : flattenRequests(item.item ?? [])));
  return flattenRequests(JSON.parse(readFileSync(output, "utf8")).item);
}

/** Sends a request as Postman does, optionally with one of the parameters that the collection disables. */
async function send({ client }: TestService, { request }: Item, parameter?: string) {
  if (!request) throw new Error("This is a folder.");
  const { path, query, variable } = request.url;
  const values = new Map(variable.map(({ key, value }) => [`:${key}`, value]));
  const filledPath = path.map((part) => values.get(part) ?? part).join("/");
  const sent = query.filter(({ key, disabled }) => !disabled || key === parameter);
  const search = new URLSearchParams(sent.map(({ key, value }): [string, string] => [key, value]));
  const headers = Object.fromEntries(
    request.header.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value]),
  );
  const options: CallOptions = {
    method: request.method,
    headers,
    ...(request.body?.raw ? { body: request.body.raw } : {}),
  };
  // The client throws for a response that the document does not describe.
  return await client.call(`/v1/${filledPath}?${search}`, options);
}

test("every request in a generated Postman collection succeeds on a new store with sample data", async () => {
  expect(requests.length).toBeGreaterThan(30);
  for (const item of requests) {
    const isRead = item.request?.method === "GET";
    const target = isRead ? service : await startWithSampleData();
    const { status, text } = await send(target, item);
    expect([item.name, status < 300 || `${status}: ${text}`]).toEqual([item.name, true]);
    if (!isRead) await target[Symbol.asyncDispose]();
  }
});

test("every read request in a generated Postman collection succeeds with each optional parameter alone", async () => {
  let count = 0;
  for (const item of requests) {
    for (const { key } of item.request?.url.query ?? []) {
      expect([item.name, key, (await send(service, item, key)).status]).toEqual([item.name, key, 200]);
      count++;
    }
  }
  expect(count).toBeGreaterThan(15);
});

test("a Postman collection with all parameters and headers, as generated by default, gets documented responses", async () => {
  await using changed = await startWithSampleData();
  const statuses: [string, number][] = [];
  for (const item of await generate("all.json", "parametersResolution=Example")) {
    statuses.push([item.name, (await send(changed, item)).status]);
  }
  expect(statuses.filter(([, status]) => status >= 500)).toEqual([]);
  expect(statuses.filter(([, status]) => status < 300).length).toBeGreaterThan(15);
});
