import { expect } from "bun:test";
import { findAxeViolations, intercept, test, type Visit, visit } from "../support/browser.ts";
import { addKey } from "../support/keys.ts";

test("the activity view describes events in sentences, newest first, with links to the changed resources", async () => {
  await using visitor = await visit({ path: "/activity" });
  const { page, enter } = visitor;
  const request = await addEmployee(visitor, "Front desk");
  await request("PUT", "/v1/categories/7", { name: "Dogs" });
  await request("POST", "/v1/pets", { name: "Rex", categoryId: 7 });
  await request("POST", "/v1/pets:batch", { pets: ["Ada", "Bob", "Cleo"].map((name) => ({ name, categoryId: 9 })) });
  await request("PATCH", "/v1/pets/1", { name: "Rexy", categoryId: 9 });
  await request("POST", "/v1/store/orders", { petId: 1 });
  await request("POST", "/v1/store/orders/1/cancel");
  await request("POST", "/v1/store/orders", { petId: 2 });
  await request("POST", "/v1/store/orders/2/complete");
  await request("PATCH", "/v1/pets/2", { status: "available" });
  await request("DELETE", "/v1/pets/3");
  await enter();
  await page.getByText("Key Front desk was created by operator").waitFor();
  expect(await readSentences(visitor)).toEqual([
    "Bob was deleted by Front desk",
    "Ada was returned by Front desk",
    "Ada was sold by Front desk Order 2",
    "Ada was reserved by Front desk Order 2",
    "Rexy was put back on sale by Front desk Order 1",
    "Rexy was reserved by Front desk Order 1",
    "Rexy was changed by Front desk",
    "Cleo and 2 more were added by Front desk",
    "Rex was added by Front desk",
    "Category Dogs was named Dogs by Front desk",
    "Key Front desk was created by operator",
  ]);
  const changedItem = page.getByRole("listitem").filter({ hasText: "Rexy was changed" });
  expect(await changedItem.getByRole("listitem").allInnerTexts()).toEqual([
    expect.stringMatching(/^name\s+from\s+Rex\s+→\s+to\s+Rexy$/),
    expect.stringMatching(/^category\s+from\s+Dogs 7\s+→\s+to\s+9$/),
  ]);
  const time = changedItem.locator("time");
  expect(await time.innerText()).toMatch(/^(just now|\d+ min ago)$/);
  await time.hover();
  const exactTime = await time.getAttribute("title");
  expect(exactTime).toContain(String(new Date().getFullYear()));
  const addedItem = page.getByRole("listitem").filter({ hasText: "Cleo and 2 more" });
  await addedItem.getByText("Show all 3").click();
  await addedItem.getByRole("link", { name: "Ada" }).click();
  expect(await page.getByRole("dialog", { name: "Ada" }).getByLabel("Name").inputValue()).toBe("Ada");
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Order 1" }).first().click();
  await page.getByRole("dialog", { name: "Order 1" }).getByText("Cancelled by Front desk").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Category Dogs" }).click();
  await page.getByRole("heading", { name: "Animals" }).waitFor();
  expect(page.url()).toEndWith("/animals?category=7");
});

test("the activity view can be filtered by kind of resource and by type of event, and the address contains the filter", async () => {
  await using visitor = await visit({ path: "/activity" });
  const { page, enter } = visitor;
  const request = await addEmployee(visitor, "Front desk");
  await request("POST", "/v1/pets", { name: "Rex", categoryId: 7 });
  await request("POST", "/v1/store/orders", { petId: 1 });
  await request("POST", "/v1/store/orders/1/cancel");
  await enter();
  await page.getByRole("button", { name: "orders", exact: true }).click();
  await page.getByText("Order 1 was cancelled for Rex by Front desk").waitFor();
  expect(await readSentences(visitor)).toHaveLength(2);
  await page.getByRole("button", { name: "placed", exact: true }).click();
  await page.getByText("Order 1 was placed for Rex by Front desk").waitFor();
  expect(await readSentences(visitor)).toHaveLength(1);
  expect(page.url()).toEndWith("/activity?type=order.placed");
  await page.reload();
  await page.getByText("Order 1 was placed for Rex by Front desk").waitFor();
  expect(await page.getByRole("button", { name: "placed", exact: true }).getAttribute("aria-pressed")).toBe("true");
  await page.getByRole("button", { name: "webhooks", exact: true }).click();
  await page.getByText("Nothing of this kind has happened lately").waitFor();
  await page.getByRole("button", { name: "Show everything" }).click();
  await page.getByText("Key Front desk was created").waitFor();
});

test("only admins see activity about keys and webhooks", async () => {
  await using visitor = await visit({ path: "/activity?type=key.created" });
  const { page, service, enter } = visitor;
  const { key } = await addKey(service.store, { scope: "write", name: "Front desk" });
  await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
  await enter(key);
  await page.getByText("Rex was added by environment").waitFor();
  expect(await page.getByRole("button", { name: "animals", exact: true }).count()).toBe(1);
  expect(await page.getByRole("button", { name: /keys|webhooks/ }).count()).toBe(0);
  expect(await readSentences(visitor)).toEqual(["Rex was added by environment"]);
});

test("the activity view loads older events on demand, and shows new events at the top", async () => {
  await using visitor = await visit({ path: "/activity" });
  const { page, service, enter } = visitor;
  for (let id = 1; id <= 120; id++) {
    await service.client.call("/v1/pets", { body: { name: `Animal ${id}`, categoryId: 1 } });
  }
  await enter();
  await page.getByText("Animal 120 was added").waitFor();
  expect(await page.getByText("Animal 1 was added").count()).toBe(0);
  await service.client.call("/v1/pets", { body: { name: "Newcomer", categoryId: 1 } });
  await page.getByText("Newcomer was added").waitFor();
  await page.getByRole("button", { name: "Show older" }).click();
  await page.getByText("Animal 1 was added").waitFor();
  await service.client.call("/v1/pets", { body: { name: "Latecomer", categoryId: 1 } });
  await page.getByText("Latecomer was added").waitFor();
  expect(await page.getByRole("button", { name: "Show older" }).count()).toBe(0);
  const expected = Array.from({ length: 120 }, (_, index) => `Animal ${120 - index}`);
  expect((await readSentences(visitor)).map((sentence) => sentence.replace(" was added by environment", ""))).toEqual([
    "Latecomer",
    "Newcomer",
    ...expected,
  ]);
});

test('the "Show older" button keeps the focus, so that a user can press Enter repeatedly', async () => {
  await using visitor = await visit({ path: "/activity" });
  const { page, service, enter } = visitor;
  for (const kind of ["First", "Second", "Third"]) {
    const pets = Array.from({ length: 100 }, () => ({ name: kind, categoryId: 1 }));
    await service.client.call("/v1/pets:batch", { body: { pets } });
  }
  await enter();
  const older = page.getByRole("button", { name: "Show older" });
  await older.focus();
  // Delays the response to check that the button regains the focus after it was disabled during the request.
  await intercept(page, "**/v1/events?*", async (route) => {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    await route.continue();
  });
  for (const kind of ["Second", "First"]) {
    await page.keyboard.press("Enter");
    await page.getByText(`${kind} and 99 more were added`).waitFor();
  }
  await older.waitFor({ state: "detached" });
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("the history of an animal and of an order is shown, even after the animal is deleted", async () => {
  await using visitor = await visit();
  const { page, enter } = visitor;
  const [desk, till] = [await addEmployee(visitor, "Front desk"), await addEmployee(visitor, "Till 2")];
  await desk("POST", "/v1/pets", { name: "Rex", categoryId: 7 });
  await till("POST", "/v1/store/orders", { petId: 1 });
  await enter();
  await page.getByRole("button", { name: "Rex", exact: true }).click();
  const history = page.getByRole("region", { name: "History" });
  await history.getByText("Reserved by Till 2").waitFor();
  await history.getByText("Added by Front desk").waitFor();
  expect(await history.getByRole("listitem").filter({ hasText: "Reserved" }).first().innerText()).toMatch(
    /status[\s\S]*available[\s\S]*pending/,
  );
  await till("POST", "/v1/store/orders/1/cancel");
  await history.getByText("Put back on sale by Till 2").waitFor();
  await page.keyboard.press("Escape");
  await till("DELETE", "/v1/pets/1");
  await page.goto(`${visitor.url}/orders?order=1`);
  const order = page.getByRole("dialog", { name: "Order 1" });
  await order.getByText("Cancelled by Till 2").waitFor();
  await order.getByText("Placed by Till 2").waitFor();
  await order.getByRole("link", { name: "Animal 1" }).click();
  await page.getByText("No animal has the number 1.", { exact: true }).waitFor();
  await history.getByText("Deleted by Till 2").waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
});

test("the address of an order that does not exist shows a message", async () => {
  await using visitor = await visit({ path: "/orders?order=99" });
  visitor.expectedErrors.push(/404/);
  await visitor.enter();
  await visitor.page.getByText("No order has the number 99.").waitFor();
});

async function addEmployee({ service }: Visit, name: string) {
  const { key } = await addKey(service.store, { scope: "write", name });
  return async (method: string, path: string, body?: object) => {
    const { status, text } = await service.client.call(path, { method, key, ...(body && { body }) });
    if (status >= 300) throw new Error(text);
  };
}

async function readSentences({ page }: Visit): Promise<string[]> {
  return await page.locator(".sentence").allInnerTexts();
}
