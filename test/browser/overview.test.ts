import { expect } from "bun:test";
import type { Page } from "playwright-core";
import {
  findAxeViolations,
  findAxeViolationsByLook,
  intercept,
  step,
  test,
  untilTexts,
  type Visit,
  visit,
} from "../support/browser.ts";
import { addKey } from "../support/keys.ts";

const dayMs = 24 * 60 * 60 * 1_000;
const noon = Date.UTC(2026, 10, 15, 12);

test("the overview summarises the store after the user signs in, and links to the lists", async () => {
  await using visitor = await openStore();
  const { page, enter } = visitor;
  await enter();
  const summary = page.getByRole("region", { name: "Animals by status" });
  await untilTexts(summary.getByRole("link"), [
    "6\nanimals in all",
    "3\navailable\n50%",
    "1\npending\n17%",
    "2\nsold\n33%",
  ]);
  expect(new URL(page.url()).pathname).toBe("/overview");
  expect(await page.title()).toBe("Overview – Animal store");
  expect(await readTable(page)).toEqual([
    ["Today", "1", "1"],
    ["Yesterday", "0", "0"],
    ["Friday 13 November", "3", "1"],
    ["Thursday 12 November", "0", "0"],
  ]);
  const open = page.getByRole("region", { name: "Open orders" });
  await untilTexts(open.getByRole("listitem"), ["Bella\nOrder 2\n2 days"]);
  const today = page.getByRole("region", { name: "Today" });
  expect(await today.getByText(/added/).first().innerText()).toBe("1 added");
  await untilTexts(today.locator(".sentence"), [
    "Luna was sold by Front desk Order 3",
    "Luna was reserved by Front desk Order 3",
    "Coco was added by Front desk",
  ]);
  await summary.getByRole("link", { name: /available/ }).click();
  await page.getByRole("heading", { name: "Animals" }).waitFor();
  expect(pathAndQueryOf(page)).toBe("/animals?status=available");
  await page.goBack();
  await open.getByRole("link", { name: "All open orders" }).click();
  await page.getByRole("row", { name: /Bella placed/ }).waitFor();
  expect(pathAndQueryOf(page)).toBe("/orders?status=placed&sort=id");
  await page.goBack();
  await open.getByRole("link", { name: /^Bella/ }).click();
  await page.getByRole("dialog", { name: "Order 2" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "6 added" }).click();
  await page.getByRole("heading", { name: "Activity" }).waitFor();
  expect(pathAndQueryOf(page)).toBe("/activity?type=pet.created");
});

test("the overview shows changes by others without a reload", async () => {
  await using visitor = await openStore();
  const { page, service, enter } = visitor;
  await enter();
  const today = page.getByRole("region", { name: "Today" });
  await today.getByText("Coco was added").waitFor();
  await service.client.call("/v1/pets", { body: { name: "Otto", categoryId: 1 } });
  await today.getByText("Otto was added by environment").waitFor();
  await page.getByRole("link", { name: /^7 animals in all/ }).waitFor();
  await page.getByRole("img", { name: /^Bars by day: 7 added and 2 sold in 28 days/ }).waitFor();
  const changeStatus = (status: string) => service.client.call("/v1/pets/1", { method: "PATCH", body: { status } });
  await changeStatus("pending");
  await changeStatus("sold");
  await page.getByRole("img", { name: /^Bars by day: 7 added and 3 sold/ }).waitFor();
  await untilTexts(today.locator(".day-summary > span"), ["2 added", "2 reserved", "2 sold"]);
  // A sale that was undone does not count, and neither does the reservation before the sale.
  await changeStatus("available");
  await page.getByRole("img", { name: /^Bars by day: 7 added and 2 sold/ }).waitFor();
  await untilTexts(today.locator(".day-summary > span"), ["2 added", "1 reserved", "1 sold"]);
});

test("the overview of an empty store suggests the first steps", async () => {
  await using visitor = await visit({ path: "/" });
  const { page, enter } = visitor;
  await enter();
  await page.getByText("No animals yet").waitFor();
  await page.getByText("No order is open.").waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Load sample animals" }).click();
  await page.getByRole("region", { name: "Animals by status" }).waitFor();
  await page.getByRole("region", { name: "Today" }).getByText("was added").first().waitFor();
});

test("a card of the overview reports that its data could not be read, and shows the data after a retry", async () => {
  await using visitor = await openStore({ expectedErrors: [/ERR_FAILED/] });
  const { page, open, signIn } = visitor;
  await open();
  await intercept(page, "**/v1/events?*", (route) => route.abort());
  await signIn();
  await page.getByRole("link", { name: /animals in all/ }).waitFor();
  const weeks = page.getByRole("region", { name: "Added and sold" });
  await weeks.getByRole("alert").waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
  await page.unroute("**/v1/events?*");
  await weeks.getByRole("img").waitFor();
});

test("the overview reports an unreachable store in only one place, and refetches all data when the store is back", async () => {
  await using visitor = await openStore({ expectedErrors: [/ERR_FAILED/] });
  const { page, enter } = visitor;
  await enter();
  await page.getByRole("link", { name: /animals in all/ }).waitFor();
  await intercept(page, "**/v1/**", (route) => route.abort());
  await page.reload();
  await page.getByRole("region", { name: "Connection" }).getByText("The store cannot be reached.").waitFor();
  const notLoadedHints = page.getByRole("main").getByText("Not loaded yet.");
  await notLoadedHints.nth(3).waitFor();
  expect(await page.getByText("cannot be reached").count()).toBe(1);
  expect(await page.getByRole("alert").count()).toBe(1);
  expect(await findAxeViolations(page)).toEqual([]);
  await page.getByRole("link", { name: "Orders", exact: true }).click();
  await notLoadedHints.waitFor();
  expect(await page.getByText("cannot be reached").count()).toBe(1);
  await page.getByRole("link", { name: "Overview" }).click();
  await page.unroute("**/v1/**");
  await page.getByRole("region", { name: "Added and sold" }).getByRole("img").waitFor();
  await page.getByRole("region", { name: "Today" }).getByText("Coco was added").waitFor();
  await notLoadedHints.first().waitFor({ state: "detached" });
});

test("the overview counts at most the last 2,000 changes, and says so if there are more", async () => {
  let now = noon - 5 * dayMs;
  await using visitor = await visit({ path: "/", timezoneId: "UTC", hasOwnTab: true, parts: { clock: () => now } });
  const { page, service, enter } = visitor;
  await page.clock.setFixedTime(noon);
  const add = async (count: number) => {
    const pets = Array.from({ length: count }, (_, index) => ({ name: `Animal ${index}`, categoryId: 1 }));
    expect((await service.client.call("/v1/pets:batch", { body: { pets } })).status).toBe(200);
  };
  await add(10);
  now = noon - 2 * dayMs;
  await add(1_000);
  now = noon - dayMs;
  await add(1_000);
  now = noon;
  await add(150);
  await enter();
  await page.getByText("So much has happened that only the last 2,000 changes are counted.").waitFor();
  expect(await readTable(page)).toEqual([
    ["Today", "150", "0"],
    ["Yesterday", "1,000", "0"],
  ]);
  const summary = page.getByRole("region", { name: "Today" }).locator(".day-summary > span");
  await untilTexts(summary, ["150 added"]);
  for (const count of [1_000, 1_000]) await add(count);
  await untilTexts(summary, ["More than 2,000 changes"]);
});

test("the overview can be used with the keyboard alone, and offers the chart as a table", async () => {
  await using visitor = await openStore();
  const { page, enter } = visitor;
  await enter();
  const show = page.getByRole("button", { name: "As a table" });
  await show.waitFor();
  await show.focus();
  await page.keyboard.press("Enter");
  expect(await page.getByRole("button", { name: "Hide the table" }).getAttribute("aria-expanded")).toBe("true");
  const { height } = (await page.getByRole("table", { name: "Animals added and sold by day" }).boundingBox()) ?? {};
  expect(height).toBeGreaterThan(200);
  // The Tab key may also stop at the table, because the table scrolls.
  const link = page.getByRole("link", { name: "All open orders" });
  for (let count = 0; count < 3 && !(await link.evaluate((element) => element === document.activeElement)); count++) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Orders", level: 1 }).waitFor();
});

test("the overview and the activity view pass the accessibility checks, in light and dark, on a desktop and a phone", async () => {
  await using visitor = await openStore();
  const { page, enter } = visitor;
  const expectNoViolations = async () => expect(await findAxeViolationsByLook(page)).toEqual([]);
  await enter();
  await page.getByRole("region", { name: "Today" }).getByText("Coco was added").waitFor();
  await page.getByRole("region", { name: "Added and sold" }).getByRole("img").waitFor();
  await step("the overview passes the accessibility checks", expectNoViolations);
  await page.getByRole("link", { name: "All activity" }).click();
  await page.getByText("Rex was sold").waitFor();
  await step("the activity view passes the accessibility checks", expectNoViolations);
  await page.getByRole("link", { name: "Order 2" }).first().click();
  await page.getByRole("dialog").getByText("Placed by Front desk").waitFor();
  await step("the dialog of an order passes the accessibility checks", expectNoViolations);
  await page.getByRole("dialog").getByRole("link", { name: "Bella" }).click();
  await page.getByRole("dialog").getByText("Reserved by Front desk").waitFor();
  await step("the history of an animal passes the accessibility checks", expectNoViolations);
});

/** Opens the console of a store with changes on several days. The clocks of the browser and of the store show noon. */
async function openStore(options: object = {}): Promise<Visit> {
  let now = noon - 20 * dayMs;
  const visitor = await visit({
    path: "/",
    timezoneId: "UTC",
    hasOwnTab: true,
    parts: { clock: () => now },
    ...options,
  });
  const { page, service } = visitor;
  await page.clock.setFixedTime(noon);
  const { key } = await addKey(service.store, { scope: "write", name: "Front desk" });
  const post = async (path: string, body: object = {}) => {
    expect((await service.client.call(path, { key, body })).status).toBeLessThan(300);
  };
  for (const name of ["Max", "Daisy"]) await post("/v1/pets", { name, categoryId: 1 });
  now = noon - 2 * dayMs;
  for (const name of ["Rex", "Bella", "Luna"]) await post("/v1/pets", { name, categoryId: 1 });
  await post("/v1/store/orders", { petId: 3 });
  await post("/v1/store/orders/1/complete");
  await post("/v1/store/orders", { petId: 4 });
  now = noon - 60_000;
  await post("/v1/pets", { name: "Coco", categoryId: 1 });
  await post("/v1/store/orders", { petId: 5 });
  await post("/v1/store/orders/3/complete");
  // Signs in with a key without the scope admin, which cannot see events about keys.
  return { ...visitor, enter: () => visitor.enter(key), signIn: () => visitor.signIn(key) };
}

async function readTable(page: Page): Promise<(string | null)[][]> {
  const rows = page.getByRole("table", { name: "Animals added and sold by day" }).locator("tbody tr");
  await rows.first().waitFor();
  return await rows.evaluateAll((all) =>
    all.slice(0, 4).map((row) => [...row.children].map((cell) => cell.textContent)),
  );
}

function pathAndQueryOf(page: Page): string {
  const { pathname, search } = new URL(page.url());
  return pathname + search;
}
