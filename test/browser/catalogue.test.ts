import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { enterConsole, holdRequests, rowOf, test, visit } from "../support/browser.ts";

test("the table can be filtered by status and category, and its address shows a colleague the same filtered table", async () => {
  await using visitor = await visit({ animals: 100 });
  const { page, enter } = visitor;
  let readCount = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/v1/pets") readCount++;
  });
  await enter();
  await page.getByText("100 animals, newest first").waitFor();
  expect(readCount).toBe(1);
  await page.getByRole("button", { name: "sold 33" }).click();
  await page.getByText("33 animals").waitFor();
  await page.getByLabel("Category").fill("2");
  await page.getByLabel("Category").press("Enter");
  await page.getByText("7 animals").waitFor();
  const names = await page.getByRole("row").getByRole("button").allInnerTexts();
  expect(names).toEqual([92, 77, 62, 47, 32, 17, 2].map((id) => `Animal ${id}`));
  const link = page.url();
  const colleague = await visitor.openTab(link.slice(visitor.url.length));
  await colleague.getByLabel("API key").fill(visitor.service.client.key);
  await colleague.keyboard.press("Enter");
  await colleague.getByText("7 animals").waitFor();
  expect(await colleague.getByRole("button", { name: "sold 7" }).getAttribute("aria-pressed")).toBe("true");
  await page.goBack();
  await page.getByText("33 animals").waitFor();
  await page.getByLabel("Category").fill("999");
  await page.keyboard.press("Enter");
  await page.getByText("There are none with the status sold and the category 999.").waitFor();
  // Leaving the field right after a rendering, before any effect has run, does not choose the old category again.
  const showAll = await page.getByRole("button", { name: "Show all" }).elementHandle();
  const field = await page.getByLabel("Category").elementHandle();
  await page.evaluate(
    async ([button, input]) => {
      (button as HTMLElement).click();
      for (let tries = 0; button?.isConnected && tries < 1000; tries++) await undefined;
      if (button?.isConnected) throw new Error("Rendering waits for more than promises");
      (input as HTMLElement).focus();
      (input as HTMLElement).blur();
    },
    [showAll, field],
  );
  await page.getByText("100 animals").waitFor();
  expect(new URL(page.url()).search).toBe("");
  // Moving the focus into the field and out again changes nothing.
  const before = await page.evaluate(() => [location.href, history.length]);
  await page.getByLabel("Category").focus();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => [location.href, history.length])).toEqual(before);
});

test("an animal can be opened by its number, and a number without an animal is reported", async () => {
  await using visitor = await enterConsole({ animals: 100 });
  const { page } = visitor;
  await page.keyboard.press("Control+k");
  await page.keyboard.type("77");
  await page.getByRole("option", { name: "Animal 77" }).waitFor();
  await page.keyboard.press("Enter");
  expect(await page.getByRole("dialog").getByLabel("Name").inputValue()).toBe("Animal 77");
  expect(new URL(page.url()).searchParams.get("animal")).toBe("77");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("12345678901234567");
  await page.getByText("Nothing matches 12345678901234567.").waitFor();
  const log = page.waitForResponse(
    (response) => response.url().includes("subject=") && response.url().includes("sort=-position"),
  );
  await page.goto(`${visitor.url}/animals?animal=12345678901234567`);
  await page.getByText("No animal has the number 12345678901234567.", { exact: true }).waitFor();
  await log;
  expect(await page.getByRole("heading", { name: "History" }).count()).toBe(0);
});

test("the counts by status include only the chosen category, and stop at a thousand animals per status", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, enter, url } = visitor;
  const pets = Array.from({ length: 1_000 }, () => ({ name: "Rex", categoryId: 9, status: "pending" }));
  await service.client.call("/v1/pets:batch", { body: { pets } });
  await service.client.call("/v1/pets", { body: { name: "Bella", categoryId: 9 } });
  await enter();
  await page.getByRole("button", { name: "all 1,004" }).waitFor();
  await page.goto(`${url}/animals?category=9`);
  for (const name of ["all 1,001+", "available 1", "pending 1,000+", "sold 0"]) {
    await page.getByRole("button", { name, exact: true }).waitFor();
  }
});

test("the counts by status are updated after changes by other users", async () => {
  await using visitor = await enterConsole({ animals: 9 });
  const { page, service } = visitor;
  await page.getByRole("button", { name: "available 3" }).waitFor();
  await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  await page.getByRole("button", { name: "available 4" }).waitFor();
  await page.getByRole("button", { name: "all 10" }).waitFor();
});

test("names with HTML or right-to-left text are shown as entered, and 64-bit numbers are shown exactly", async () => {
  await using visitor = await visit();
  const { page, service, enter } = visitor;
  const markup = "<img src=x onerror=alert(1)><b>Rex</b>";
  await service.client.call("/v1/pets", { body: { name: markup, categoryId: 1 } });
  await service.client.call("/v1/pets", { body: '{"name": "شمس", "categoryId": 9223372036854775807}' });
  await enter();
  await rowOf(page, markup).waitFor();
  expect(await page.locator("img, b").count()).toBe(0);
  const arabic = page.getByRole("button", { name: "شمس" });
  expect(await arabic.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
  await page.getByRole("row").getByText("9223372036854775807").waitFor();
  await arabic.click();
  const dialog = page.getByRole("dialog");
  expect(await dialog.getByLabel("Category").inputValue()).toBe("9223372036854775807");
  await dialog.getByLabel("Name").fill("Sun");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved Sun.").waitFor();
  const { text } = await service.client.call("/v1/pets?id=2");
  expect(text).toBe('[{"id":2,"name":"Sun","categoryId":9223372036854775807,"status":"available"}]');
});

test("a user signs in, moves through the table, changes an animal and opens the orders with the keyboard alone", async () => {
  await using visitor = await visit({ animals: 300 });
  const { page, service, open } = visitor;
  await open();
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  const tabTo = async (text: string) => {
    for (let press = 0; press < 30 && (await focused()) !== text; press++) await page.keyboard.press("Tab");
    expect(await focused()).toBe(text);
  };
  await page.waitForFunction(() => document.activeElement?.tagName === "INPUT");
  await page.keyboard.type(service.client.key);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Animal 300", exact: true }).waitFor();
  await tabTo("Animal 300");
  for (let press = 0; press < 40; press++) await page.keyboard.press("ArrowDown");
  await waitForFocus(page, "Animal 260");
  await page.keyboard.press("End");
  await waitForFocus(page, "Animal 1");
  await page.keyboard.press("Home");
  await waitForFocus(page, "Animal 300");
  await page.keyboard.press("ArrowDown");
  await waitForFocus(page, "Animal 299");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByLabel("Name").waitFor();
  await page.keyboard.press("End");
  await page.keyboard.type(" the second");
  await page.keyboard.press("Enter");
  await page.getByText("Saved Animal 299 the second.").waitFor();
  await waitForFocus(page, "Animal 299 the second");
  for (let press = 0; press < 30 && (await focused()) !== "Orders"; press++) await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByText("No orders yet").waitFor();
});

const rowHeight = 44;
const rowsPerPage = 100;

test("the table loads pages beyond the visible rows in advance", async () => {
  await using visitor = await visit({ animals: 10_000 });
  const { page, enter } = visitor;
  const cursors = collectCursors(page);
  await enter();
  await movePointer(page);
  await page.getByText("1,700 animals loaded of 10,000").waitFor();
  expect(cursors.size).toBe(16);
  await scrollTo(page, 500);
  await page.getByText("2,200 animals loaded of 10,000").waitFor();
  expect(cursors.size).toBe(21);
  // From here on, requests for further pages get no response.
  const release = await holdRequests(page, "**/v1/pets?*");
  for (const row of [700, 1_000, 1_500, 2_050]) {
    await scrollTo(page, row);
    await page.getByRole("button", { name: `Animal ${10_000 - row}`, exact: true }).waitFor();
    expect(await page.locator(".row .blank").count()).toBe(0);
  }
  await scrollTo(page, 2_150);
  await page.locator(".row .blank").first().waitFor();
  release();
  await page.getByRole("button", { name: "Animal 7850", exact: true }).waitFor();
});

test("the table frees the memory of pages far from the visible rows, and reloads the pages when the user scrolls back", async () => {
  await using visitor = await visit({ animals: 6_500, hasOwnTab: true });
  const { page, enter } = visitor;
  await page.clock.install();
  await enter();
  await page.getByText("of 6,500").waitFor();
  const lastRow = 4_500;
  for (let row = 0; row <= lastRow; row += 9 * rowsPerPage) {
    await scrollTo(page, row);
    await page.getByRole("button", { name: `Animal ${6_500 - row}`, exact: true }).waitFor();
  }
  // More than 45 pages were loaded. The table keeps the 18 pages around the visible rows, and a few more until the next rendering.
  const maxAnimalsInMemory = 40 * rowsPerPage;
  let animalsInMemory = await countAnimalsInMemory(page);
  expect(animalsInMemory).toBeGreaterThan(10 * rowsPerPage);
  for (let row = lastRow; animalsInMemory > maxAnimalsInMemory; ) {
    // Waits six seconds: longer than the table keeps a page in memory, but shorter than the timeout of a request.
    await page.clock.fastForward("00:06");
    for (const end = row + 10; row < end; ) await scrollTo(page, ++row);
    animalsInMemory = await countAnimalsInMemory(page);
  }
  const firstPageRequest = page.waitForRequest((request) => isFirstPage(request.url()));
  await scrollTo(page, 0);
  await firstPageRequest;
  await page.getByRole("button", { name: "Animal 6500", exact: true }).waitFor();
});

test("a link can open a long table in the middle, and a button leads back to the start of the table", async () => {
  await using visitor = await enterConsole({ animals: 5_000 });
  const { page } = visitor;
  await page.getByRole("button", { name: "Animal 5000", exact: true }).waitFor();
  await scrollTo(page, 220);
  await page.getByRole("button", { name: "Animal 4780", exact: true }).waitFor();
  await page.waitForURL((url) => url.searchParams.has("place"));
  const colleague = await visitor.openTab(page.url().slice(visitor.url.length), visitor.service.client.key);
  await colleague.getByRole("button", { name: "Animal 4800", exact: true }).waitFor();
  expect(await colleague.getByRole("button", { name: "Animal 4801", exact: true }).count()).toBe(0);
  await colleague.getByRole("button", { name: "Start from the newest" }).click();
  await colleague.getByRole("button", { name: "Animal 5000", exact: true }).waitFor();
});

async function waitForFocus(page: Page, text: string): Promise<void> {
  await page.waitForFunction((expected) => document.activeElement?.textContent === expected, text);
}

function isFirstPage(url: string): boolean {
  const { pathname, searchParams } = new URL(url);
  return pathname === "/v1/pets" && searchParams.has("limit") && !searchParams.has("cursor");
}

/** Moves the pointer, because the table loads many pages in advance only after an interaction. */
async function movePointer(page: Page): Promise<void> {
  await page.mouse.move(1, 1);
}

/** Collects the cursors of all further requests for animals, with an empty cursor for the first page. */
function collectCursors(page: Page): ReadonlySet<string> {
  const cursors = new Set<string>();
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === "/v1/pets") cursors.add(searchParams.get("cursor") ?? "");
  });
  return cursors;
}

/** Scrolls a row to the top of the table as soon as the table is long enough. */
async function scrollTo(page: Page, row: number): Promise<void> {
  await page.waitForFunction((distance) => {
    const rows = document.querySelector(".rows");
    const head = document.querySelector(".head");
    if (!rows || !head) return false;
    const top = rows.getBoundingClientRect().top + scrollY + distance - head.getBoundingClientRect().height - 56;
    window.scrollTo(0, top);
    return Math.abs(scrollY - top) < 1;
  }, row * rowHeight);
}

async function countAnimalsInMemory(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const objectGroup = "all";
  const { result: prototype } = await session.send("Runtime.evaluate", { expression: "Object.prototype" });
  const { objects } = await session.send("Runtime.queryObjects", {
    prototypeObjectId: prototype.objectId ?? "",
    objectGroup,
  });
  const { result } = await session.send("Runtime.callFunctionOn", {
    objectId: objects.objectId ?? "",
    functionDeclaration: `function () {
      return this.filter((one) => Object.hasOwn(one, "categoryId") && Object.hasOwn(one, "status")).length;
    }`,
    returnByValue: true,
  });
  // Releases the result of the query, which would otherwise keep the animals in memory.
  await session.send("Runtime.releaseObjectGroup", { objectGroup });
  await session.detach();
  return result.value as number;
}
