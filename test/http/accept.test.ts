import { afterAll, expect, test } from "bun:test";
import { operations } from "../../src/operations/index.ts";
import { pathParameter } from "../../src/operations/operation.ts";
import type { Client } from "../support/client.ts";
import { startService } from "../support/service.ts";

const stream = "text/event-stream";
const json = "application/json";
const batch = "application/cloudevents-batch+json";
const problem = "application/problem+json";

const service = await startService();
await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
afterAll(() => service[Symbol.asyncDispose]());

async function fetchHeaders(client: Client, path: string, headers: Record<string, string>) {
  const controller = new AbortController();
  const sent = { authorization: `Bearer ${client.key}`, ...headers };
  const init = { headers: sent, signal: controller.signal };
  const { status, headers: received } = await client.fetch(new URL(path, client.url).href, init);
  controller.abort();
  return { status, headers: received };
}

test.each([
  ["*/*", json],
  [`*/*, ${stream};q=0.1`, json],
  [`${stream};q=0, */*`, json],
  [`${stream}, */*`, stream],
  [`${stream}, */*;q=0.1`, stream],
  [`${stream};q=0.9, application/*`, json],
  [`${json}, ${stream}`, json],
  [`${json};q=0.5, ${stream}`, stream],
  ["text/*", stream],
  [`text/*;q=0.2, ${json};q=0.1`, stream],
  ["application/cloudevents+json, */*", batch],
  ["application/cloudevents+json;q=0.1, */*", json],
  [`${batch};q=0.2, ${json};q=0.1`, batch],
  [`${batch};q=0, application/*;q=0.2`, json],
  ["text/csv", json],
  [`${json};q=0`, json],
  ["*/*;q=0", json],
])("the list of events for Accept %s has the media type %s", async (accept, type) => {
  const { status, headers } = await fetchHeaders(service.client, "/v1/events", { accept });
  expect([status, headers.get("content-type"), headers.get("vary")]).toEqual([200, type, "Accept"]);
});

test.each<[path: string, accept: string, more: Record<string, string>]>([
  ["/v1/events", json, {}],
  ["/v1/events", batch, {}],
  ["/v1/events", stream, {}],
  ["/v1/events", `${stream};q=0.1, ${json};q=0.2`, {}],
  ["/v1/events?sort=-position", stream, {}],
  ["/v1/events?cursor=x", stream, {}],
  ["/v1/events", stream, { "last-event-id": "x" }],
  ["/v1/events", stream, { "if-match": '"x"' }],
  ["/v1/events?cursor=latest", stream, { prefer: "handling=strict, wait=1" }],
])("HEAD of the list of events has the status and headers of GET: %s %s %p", async (path, accept, more) => {
  const get = await fetchHeaders(service.client, path, { accept, ...more });
  const head = await service.client.call(path, { method: "HEAD", headers: { accept, ...more } });
  const comparable = (headers: Headers) => [...headers].filter(([name]) => !/^(date|x-request-id)$/.test(name)).sort();
  expect([head.status, comparable(head.headers), head.text]).toEqual([get.status, comparable(get.headers), ""]);
});

test("a HEAD request for an event stream leaves no stream open", async () => {
  await using one = await startService({ maxEventReaders: 1 });
  for (let count = 0; count < 5; count++) {
    const head = await one.client.call("/v1/events", { method: "HEAD", headers: { accept: stream } });
    expect([head.status, head.headers.get("content-type")]).toEqual([200, stream]);
  }
});

const readOperations = operations.filter(({ method, params, isExport }) => method === "GET" && !params && !isExport);

test.each(["text/csv", `${json};q=0`, "*/*;q=0", "image/*"])(
  "every operation ignores an Accept that excludes all media types: %s",
  async (accept) => {
    for (const { id, path } of readOperations) {
      const { status, headers } = await service.client.call(`/v1${path}`, { headers: { accept } });
      expect([id, status, headers.get("content-type")]).toEqual([id, 200, json]);
      const wrong = await service.client.call(`/v1${path}?x=1`, { headers: { accept, prefer: "handling=strict" } });
      expect([id, wrong.status, wrong.headers.get("content-type")]).toEqual([id, 400, json]);
    }
  },
);

test.each([
  [problem, problem],
  [`${problem}, */*`, problem],
  [`${json}, ${problem}`, problem],
  [`${problem};q=0.5, ${json};q=0.4`, problem],
  [`application/*;q=0.1, ${problem};q=0.05`, json],
  [`*/*, ${problem};q=0.1`, json],
  ["application/*", json],
  [`${problem};q=0`, json],
])("an error for Accept %s has the media type %s", async (accept, type) => {
  for (const path of ["/v1/pets?limit=0", "/v1/events?limit=0", "/v1/nowhere"]) {
    const { headers } = await service.client.call(path, { headers: { accept } });
    expect(headers.get("content-type")).toBe(type);
  }
});

const writeOperations = operations.filter(({ method, body }) => method !== "GET" && body);

test.each([
  ["text/plain", {}],
  ["application/json;charset=utf-16", {}],
  ["application/json, text/plain", {}],
  ["application/json", { "content-encoding": "gzip" }],
])("a body in an unsupported media type gets 415 from every operation that takes a body: %s %p", async (type, more) => {
  for (const { id, method, path } of writeOperations) {
    const target = `/v1${path.replace(pathParameter, "1")}`;
    const headers = { "content-type": type, ...more };
    const response = await service.client.call(target, { method, body: "{}", headers });
    expect([id, response.status, response.headers.has("accept")]).toEqual([id, 415, true]);
  }
});

test("an operation that takes no body ignores a body in any media type", async () => {
  const others = operations.filter(({ method, body }) => method !== "GET" && !body);
  for (const { id, method, path } of others) {
    const target = `/v1${path.replace(pathParameter, "404")}`;
    const headers = { "content-type": "text/plain" };
    expect([id, (await service.client.call(target, { method, body: "x", headers })).status]).toEqual([id, 404]);
  }
});
