import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { intercept, rowOf, test, visit } from "../support/browser.ts";

test("the table is narrowed by status and category, and a link shows the same view to a colleague", async () => {
  await using visitor = await visit({ animals: 100 });
  const { page, enter } = visitor;
  let reads = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/v1/pets") reads++;
  });
  await enter();
  await page.getByText("100 animals, newest first").waitFor();
  expect(reads).toBe(1);
  await page.getByRole("button", { name: "sold 33" }).click();
  await page.getByText("33 animals").waitFor();
  await page.getByLabel("Category").fill("2");
  await page.getByLabel("Category").press("Enter");
  await page.getByText("7 animals").waitFor();
  const names = await page.getByRole("row").getByRole("button").allInnerTexts();
  expect(names).toEqual([92, 77, 62, 47, 32, 17, 2].map((id) => `Animal ${id}`));
  const link = page.url();
  const colleague = await visitor.another(link.slice(visitor.url.length));
  await colleague.getByLabel("API key").fill(visitor.service.client.key);
  await colleague.keyboard.press("Enter");
  await colleague.getByText("7 animals").waitFor();
  expect(await colleague.getByRole("button", { name: "sold 7" }).getAttribute("aria-pressed")).toBe("true");
  await page.goBack();
  await page.getByText("33 animals").waitFor();
  await page.getByLabel("Category").fill("999");
  await page.keyboard.press("Enter");
  await page.getByText("There is none with the status sold and the category 999.").waitFor();
  // Whoever leaves the field as soon as it is drawn anew, before anything else has run, chooses nothing again.
  const showAll = await page.getByRole("button", { name: "Show all" }).elementHandle();
  const field = await page.getByLabel("Category").elementHandle();
  await page.evaluate(
    async ([button, input]) => {
      (button as HTMLElement).click();
      for (let turns = 0; button?.isConnected && turns < 1000; turns++) await undefined;
      if (button?.isConnected) throw new Error("Drawing waits for more than promises");
      (input as HTMLElement).focus();
      (input as HTMLElement).blur();
    },
    [showAll, field],
  );
  await page.getByText("100 animals").waitFor();
  expect(new URL(page.url()).search).toBe("");
  // Passing through the field changes nothing.
  const before = await page.evaluate(() => [location.href, history.length]);
  await page.getByLabel("Category").focus();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => [location.href, history.length])).toEqual(before);
});

test("an animal is found by its number, and one that is not there is told of", async () => {
  await using visitor = await visit({ animals: 100 });
  const { page, enter } = visitor;
  await enter();
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

test("the counts are those of the category that is chosen, and no more than a thousand of a status", async () => {
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

test("the counts follow what others do", async () => {
  await using visitor = await visit({ animals: 9 });
  const { page, service, enter } = visitor;
  await enter();
  await page.getByRole("button", { name: "available 3" }).waitFor();
  await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  await page.getByRole("button", { name: "available 4" }).waitFor();
  await page.getByRole("button", { name: "all 10" }).waitFor();
});

test("names are shown as they are: markup as text, from right to left, numbers of 64 bits to the last digit", async () => {
  await using visitor = await visit();
  const { page, service, enter } = visitor;
  const markup = "<img src=x onerror=alert(1)><b>Rex</b>";
  await service.client.call("/v1/pets", { body: { name: markup, categoryId: 1 } });
  await service.client.call("/v1/pets", {
    body: '{"name": "شمس", "categoryId": 9223372036854775807}',
  });
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

test("a person signs in, goes through the table, changes an animal and looks at the orders with the keyboard alone", async () => {
  await using visitor = await visit({ animals: 300 });
  const { page, service, open } = visitor;
  await open();
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  const tabTo = async (text: string) => {
    for (let turn = 0; turn < 30 && (await focused()) !== text; turn++) await page.keyboard.press("Tab");
    expect(await focused()).toBe(text);
  };
  await page.waitForFunction(() => document.activeElement?.tagName === "INPUT");
  await page.keyboard.type(service.client.key);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Animal 300", exact: true }).waitFor();
  await tabTo("Animal 300");
  for (let turn = 0; turn < 40; turn++) await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.activeElement?.textContent === "Animal 260");
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.activeElement?.textContent === "Animal 1");
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.activeElement?.textContent === "Animal 300");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.activeElement?.textContent === "Animal 299");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByLabel("Name").waitFor();
  await page.keyboard.press("End");
  await page.keyboard.type(" the second");
  await page.keyboard.press("Enter");
  await page.getByText("Saved Animal 299 the second.").waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === "Animal 299 the second");
  for (let turn = 0; turn < 30 && (await focused()) !== "Orders"; turn++) await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByText("No orders yet").waitFor();
});

const rowHeight = 44;
const rowsPerPage = 100;

test("pages are read ahead of what is seen, and are there before the server could be asked for them", async () => {
  await using visitor = await visit({ animals: 10_000 });
  const { page, enter } = visitor;
  const read = cursorsReadBy(page);
  await enter();
  await touch(page);
  await page.getByText("1,700 animals loaded of 10,000").waitFor();
  expect(read.size).toBe(16);
  await scrollTo(page, 500);
  await page.getByText("2,200 animals loaded of 10,000").waitFor();
  expect(read.size).toBe(21);
  // From here on, the server gives nothing.
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await intercept(page, "**/v1/pets?*", async (route) => {
    await isReleased;
    await route.continue();
  });
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

test("pages that were scrolled past are released, and read again when somebody scrolls back", async () => {
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
  // More than 60 pages were read. Kept are the 18 around what is seen, and some that are held until it is drawn again.
  const most = 40 * rowsPerPage;
  let kept = await animalsInMemory(page);
  expect(kept).toBeGreaterThan(10 * rowsPerPage);
  for (let row = lastRow; kept > most; ) {
    // As long as a page is held after it was scrolled past, and not as long as a request may take.
    await page.clock.fastForward("00:06");
    // To look takes longer than to draw many times.
    for (const end = row + 10; row < end; ) await scrollTo(page, ++row);
    kept = await animalsInMemory(page);
  }
  const again = page.waitForRequest((request) => isFirstPage(request.url()));
  await scrollTo(page, 0);
  await again;
  await page.getByRole("button", { name: "Animal 6500", exact: true }).waitFor();
});

test("a link leads into the middle of a long table, and from there back to its start", async () => {
  await using visitor = await visit({ animals: 5_000 });
  const { page, enter } = visitor;
  await enter();
  await page.getByRole("button", { name: "Animal 5000", exact: true }).waitFor();
  await scrollTo(page, 220);
  await page.getByRole("button", { name: "Animal 4780", exact: true }).waitFor();
  await page.waitForURL((url) => url.searchParams.has("place"));
  const colleague = await visitor.another(page.url().slice(visitor.url.length), visitor.service.client.key);
  await colleague.getByRole("button", { name: "Animal 4800", exact: true }).waitFor();
  expect(await colleague.getByRole("button", { name: "Animal 4801", exact: true }).count()).toBe(0);
  await colleague.getByRole("button", { name: "Start from the newest" }).click();
  await colleague.getByRole("button", { name: "Animal 5000", exact: true }).waitFor();
});

function isFirstPage(url: string): boolean {
  const { pathname, searchParams } = new URL(url);
  return pathname === "/v1/pets" && searchParams.has("limit") && !searchParams.has("cursor");
}

test("the End key leads to the last of a long list, which is read from there, and the Home key back", async () => {
  await using visitor = await visit({ animals: 20_000 });
  const { page, enter } = visitor;
  const read = cursorsReadBy(page);
  await enter();
  await page.getByRole("button", { name: "Animal 20000", exact: true }).focus();
  await touch(page);
  await page.getByText("1,700 animals loaded of 20,000").waitFor();
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.activeElement?.textContent === "Animal 1");
  for (let turn = 0; turn < 30; turn++) await page.keyboard.press("ArrowUp");
  await page.waitForFunction(() => document.activeElement?.textContent === "Animal 31");
  // Far fewer than the 200 pages in between.
  expect(read.size).toBeLessThan(60);
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.activeElement?.textContent === "Animal 20000");
});

/** Only a page that somebody uses reads far ahead. */
async function touch(page: Page): Promise<void> {
  await page.mouse.move(1, 1);
}

/** The cursors of the pages of animals that are asked for from now on; the first page has none. */
function cursorsReadBy(page: Page): ReadonlySet<string> {
  const cursors = new Set<string>();
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === "/v1/pets") cursors.add(searchParams.get("cursor") ?? "");
  });
  return cursors;
}

/** Puts a row at the top of the table, as soon as the table is long enough. */
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

/** How many animals anything on the page still holds on to. */
async function animalsInMemory(page: Page): Promise<number> {
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
  // The list would otherwise hold on to them itself.
  await session.send("Runtime.releaseObjectGroup", { objectGroup });
  await session.detach();
  return result.value as number;
}
