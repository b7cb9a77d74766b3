import { expect } from "bun:test";
import { rowOf, test, visit } from "../support/browser.ts";

test("rows that other users have changed are marked, and rows do not move while the pointer is over the table", async () => {
  await using visitor = await visit({ animals: 30 });
  const { page, service, enter } = visitor;
  await enter();
  await page.getByRole("button", { name: "all 30" }).waitFor();
  await rowOf(page, "Animal 28").hover();
  const getRowPositions = async () => [
    (await page.locator(".rows .row .number").allTextContents()).slice(0, 15),
    await rowOf(page, "Animal 28").boundingBox(),
  ];
  const before = await getRowPositions();
  await service.client.call("/v1/pets/25", { method: "PATCH", body: { name: "Bella" } });
  await rowOf(page, "Bella").getByText("by somebody else").waitFor();
  await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  await service.client.call("/v1/pets/27", { method: "DELETE" });
  await rowOf(page, "Animal 27").getByText("deleted").waitFor();
  await page.getByRole("button", { name: "Others changed 2 animals. Show" }).waitFor();
  expect(await getRowPositions()).toEqual(before);
  await page.getByRole("button", { name: "Others changed 2 animals. Show" }).click();
  await rowOf(page, "Rex").waitFor();
  await rowOf(page, "Animal 27").waitFor({ state: "detached" });
});

test("while the pointer is not over the table, animals that others add or delete appear or disappear immediately", async () => {
  await using visitor = await visit({ animals: 9 });
  const { page, service, enter } = visitor;
  await enter();
  await page.getByRole("button", { name: "all 9" }).waitFor();
  await page.getByRole("heading", { name: "Animals" }).hover();
  await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  await rowOf(page, "Rex").waitFor();
  await page.getByRole("button", { name: "all 10" }).waitFor();
  await service.client.call("/v1/pets/5", { method: "DELETE" });
  await rowOf(page, "Animal 5").waitFor({ state: "detached" });
});

test("only one of two tabs reads the event stream, and the other takes over when that tab is closed", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, enter } = visitor;
  const streams: string[] = [];
  page.context().on("request", (request) => {
    if (request.headers()["accept"]?.includes("text/event-stream")) streams.push(request.url());
  });
  await enter();
  await rowOf(page, "Animal 3").waitFor();
  const other = await visitor.openTab("/animals", service.client.key);
  await rowOf(other, "Animal 3").waitFor();
  const rename = (name: string) => service.client.call("/v1/pets/3", { method: "PATCH", body: { name } });
  await rename("Bella");
  await rowOf(other, "Bella").waitFor();
  expect(streams).toHaveLength(1);
  await page.close();
  await rename("Luna");
  await rowOf(other, "Luna").waitFor();
  expect(streams).toHaveLength(2);
});
