import { expect } from "bun:test";
import { rowOf, test, visit } from "../support/browser.ts";

test("the table is narrowed by status and category, and a link shows the same view to a colleague", async () => {
  await using visitor = await visit({ animals: 100 });
  const { page, signIn } = visitor;
  let reads = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/v1/pets") reads++;
  });
  await signIn();
  await page.getByText("100 animals, sorted by number, the oldest first.").waitFor();
  expect(reads).toBe(1);
  await page.getByRole("button", { name: "sold 33" }).click();
  await page.getByText("33 animals").waitFor();
  await page.getByLabel("Category").fill("2");
  await page.getByLabel("Category").press("Enter");
  await page.getByText("7 animals").waitFor();
  const names = await page.getByRole("row").getByRole("button").allInnerTexts();
  expect(names).toEqual([2, 17, 32, 47, 62, 77, 92].map((id) => `Animal ${id}`));
  const link = page.url();
  const colleague = await visitor.another();
  await colleague.goto(link);
  await colleague.getByLabel("API key").fill(visitor.service.client.key);
  await colleague.keyboard.press("Enter");
  await colleague.getByText("7 animals").waitFor();
  expect(await colleague.getByRole("button", { name: "sold 33" }).getAttribute("aria-pressed")).toBe("true");
  await page.goBack();
  await page.getByText("33 animals").waitFor();
  await page.getByLabel("Category").fill("999");
  await page.keyboard.press("Enter");
  await page.getByText("There is none with the status sold and the category 999.").waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByText("100 animals").waitFor();
  // Passing through the field changes nothing.
  const before = await page.evaluate(() => [location.href, history.length]);
  await page.getByLabel("Category").focus();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => [location.href, history.length])).toEqual(before);
});

test("an animal is found by its number, and one that is not there is told of", async () => {
  await using visitor = await visit({ animals: 100 });
  const { page, signIn, expectedErrors } = visitor;
  expectedErrors.push(/404/);
  await signIn();
  await page.getByLabel("Find by number").fill("77");
  await page.keyboard.press("Enter");
  expect(await page.getByRole("dialog").getByLabel("Name").inputValue()).toBe("Animal 77");
  expect(new URL(page.url()).searchParams.get("animal")).toBe("77");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByLabel("Find by number").fill("12345678901234567");
  await page.keyboard.press("Enter");
  await page.getByText("No animal has the number 12345678901234567.").waitFor();
});

test("the counts follow what others do", async () => {
  await using visitor = await visit({ animals: 9 });
  const { page, service, signIn } = visitor;
  await signIn();
  await page.getByRole("button", { name: "available 3" }).waitFor();
  await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  await page.getByRole("button", { name: "available 4" }).waitFor();
  await page.getByRole("button", { name: "all 10" }).waitFor();
});

test("names are shown as they are: markup as text, from right to left, numbers of 64 bits to the last digit", async () => {
  await using visitor = await visit();
  const { page, service, signIn } = visitor;
  const markup = "<img src=x onerror=alert(1)><b>Rex</b>";
  await service.client.call("/v1/pets", { body: { name: markup, categoryId: 1 } });
  await service.client.call("/v1/pets", {
    body: '{"name": "شمس", "categoryId": 9223372036854775807}',
  });
  await signIn();
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
  const { page, service } = visitor;
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  const tabTo = async (text: string) => {
    for (let turn = 0; turn < 30 && (await focused()) !== text; turn++) await page.keyboard.press("Tab");
    expect(await focused()).toBe(text);
  };
  await page.waitForFunction(() => document.activeElement?.tagName === "INPUT");
  await page.keyboard.type(service.client.key);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Animal 1", exact: true }).waitFor();
  await tabTo("Animal 1");
  for (let turn = 0; turn < 40; turn++) await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.activeElement?.textContent === "Animal 41");
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.activeElement?.textContent === "Animal 300");
  await page.keyboard.press("Home");
  await page.waitForFunction(() => document.activeElement?.textContent === "Animal 1");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.activeElement?.textContent === "Animal 2");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByLabel("Name").waitFor();
  await page.keyboard.press("End");
  await page.keyboard.type(" the second");
  await page.keyboard.press("Enter");
  await page.getByText("Saved Animal 2 the second.").waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === "Animal 2 the second");
  for (let turn = 0; turn < 30 && (await focused()) !== "Orders"; turn++) await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByText("No orders yet").waitFor();
});

test("a table of a million animals has no gap while it is scrolled at 2,000 rows a second, and stays small", async () => {
  await using visitor = await visit({ animals: 1_000_000 });
  const { page, signIn } = visitor;
  await signIn();
  await page.getByText("of 1,000,000").waitFor();
  const session = await page.context().newCDPSession(page);
  const megabytes = async () => {
    await session.send("HeapProfiler.collectGarbage");
    return (await session.send("Runtime.getHeapUsage")).usedSize / 1_000_000;
  };
  const before = await megabytes();
  const [rowHeight, seconds, speed] = [36, 6, 2_000];
  const watched = page.evaluate(watchForGaps, seconds * 1_000);
  await page.mouse.move(600, 500);
  const start = performance.now();
  for (let scrolled = 0; performance.now() - start < seconds * 1_000; ) {
    const due = ((performance.now() - start) / 1_000) * speed;
    await page.mouse.wheel(0, (due - scrolled) * rowHeight);
    scrolled = due;
  }
  const { longestGap, frames, top } = await watched;
  expect(top / rowHeight).toBeGreaterThan(seconds * speed * 0.8);
  expect(frames).toBeGreaterThan(50);
  expect(longestGap).toBeLessThan(200);
  // Far enough for the rows to show in the memory, if they were kept.
  await page.evaluate(async () => {
    const scroller = document.querySelector(".scroller");
    while (scroller && scroller.scrollTop < 36 * 60_000) {
      scroller.scrollTop = scroller.scrollHeight;
      await new Promise(requestAnimationFrame);
    }
  });
  const far = await megabytes();
  let after = far;
  for (const end = performance.now() + 12_000; after > before + 3 && performance.now() < end; )
    after = await megabytes();
  expect(far).toBeGreaterThan(before);
  expect(after).toBeLessThan(before + 3);
  // Back to where the first pages were let go of.
  await page.waitForFunction(() => new URLSearchParams(location.search).has("place"));
  const deep = page.url();
  await page.evaluate(() => document.querySelector(".scroller")?.scrollTo(0, 36 * 220));
  await page.getByRole("button", { name: "Animal 225", exact: true }).waitFor();
  await page.waitForURL((url) => url.searchParams.has("place") && url.href !== deep);
  const colleague = await visitor.another();
  await colleague.goto(page.url());
  await colleague.getByLabel("API key").fill(visitor.service.client.key);
  await colleague.keyboard.press("Enter");
  await colleague.getByRole("button", { name: "Animal 201", exact: true }).waitFor();
  await colleague.getByRole("button", { name: "Start from the first" }).click();
  await colleague.getByRole("button", { name: "Animal 1", exact: true }).waitFor();
});

/** Looks at three places of the table in every frame. Runs in the page. */
async function watchForGaps(milliseconds: number) {
  const scroller = document.querySelector(".scroller");
  if (!scroller) throw new Error("There is no table.");
  const isBlank = (place: number) => {
    const { left, top, height } = scroller.getBoundingClientRect();
    const element = document.elementFromPoint(left + 200, top + 40 + (height - 60) * place);
    return !element?.closest(".row")?.querySelector("button");
  };
  const end = performance.now() + milliseconds;
  let [longestGap, frames, since] = [0, 0, 0];
  while (performance.now() < end) {
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    frames++;
    if (![0.1, 0.5, 0.95].some(isBlank)) since = 0;
    else {
      since ||= now;
      longestGap = Math.max(longestGap, now - since);
    }
  }
  return { longestGap, frames, top: scroller.scrollTop };
}
