import { expect } from "bun:test";
import { join } from "node:path";
import type * as client from "../../packages/client/src/index.ts";
import { openPage, test } from "../support/browser.ts";
import { createClientProject } from "../support/client-project.ts";
import { startService } from "../support/service.ts";

test("the installed client package works in a browser, on an HTML page with a different origin than the service", async () => {
  using project = createClientProject();
  await using site = servePackage(project.path);
  await using service = await startService({ corsOrigins: [site.origin] }, "sqlite");
  await using opened = await openPage(site.origin);
  const result = await opened.page.evaluate(
    async ({ module, baseUrl, apiKey }) => {
      const { AnimalStore, ConflictError }: typeof client = await import(module);
      const store = new AnimalStore({ baseUrl, apiKey });
      const { data, headers } = await store.pets
        .create({ name: "Moby", categoryId: 9_223_372_036_854_775_807n })
        .withResponse();
      for (let count = 0; count < 30; count++) await store.pets.create({ name: `animal ${count}`, categoryId: 7 });
      const names: string[] = [];
      for await (const { name } of store.pets.list({ status: "available" })) names.push(name);
      const { headers: foundHeaders } = await store.pets.find(data.id).withResponse();
      await store.pets.update(data.id, { name: "Dick" }, { ifMatch: foundHeaders.get("ETag") });
      await store.orders.place({ petId: data.id });
      const failure = await store.orders.place({ petId: data.id }).catch((error) => error);
      let last = "";
      for await (const { type, previous } of store.events.stream({ subject: `pets/${data.id}` })) {
        if (type === "pet.updated" && previous && "status" in previous) {
          last = type;
          break;
        }
      }
      let exportedCount = 0;
      for await (const _ of await store.pets.export()) exportedCount++;
      const deprecated = await store.pets.get(data.id);
      const moved = await new AnimalStore({ baseUrl: "/moved", apiKey }).inventory.get().catch((error) => error);
      return {
        category: String(data.categoryId),
        location: headers.get("Location"),
        names: names.length,
        isConflict: failure instanceof ConflictError,
        last,
        exportedCount,
        deprecated: deprecated.name,
        moved: `${moved}`,
      };
    },
    { module: `${site.origin}/index.js`, baseUrl: service.client.url.href, apiKey: service.client.key },
  );
  expect(result).toEqual({
    category: "9223372036854775807",
    location: "/v1/pets/1",
    names: 31,
    isConflict: true,
    last: "pet.updated",
    exportedCount: 31,
    deprecated: "Dick",
    moved: "ApiError: The response is a redirect, which is not followed. Use the URL of the service itself.",
  });
  expect(opened.messages.filter((message) => !message.includes("409"))).toEqual([
    "animal-store: getPet is deprecated. It works until 2030-12-05. Use /v1/pets?id=1 instead.",
  ]);
});

function servePackage(project: string) {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/") {
        return new Response("<!doctype html><link rel=icon href=data:,>", { headers: { "Content-Type": "text/html" } });
      }
      if (pathname.startsWith("/moved/")) return Response.redirect("/elsewhere", 308);
      return new Response(Bun.file(join(project, "node_modules/@animal-store/client/dist", pathname)));
    },
  });
  return { origin: server.url.origin, [Symbol.asyncDispose]: () => server.stop(true) };
}
