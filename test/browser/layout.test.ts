import { expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { enterConsole, findAxeViolations, rowOf, step, test, visit } from "../support/browser.ts";
import { addKey } from "../support/keys.ts";
import { addWebhook, webhookOptions } from "../support/webhooks.ts";

test("on a phone, the page scrolls, and all controls are large enough and within the screen", async () => {
  const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
  await using visitor = await visit({ ...phone, animals: 100 });
  const { page, service, enter } = visitor;
  await service.client.call("/v1/categories/0", { method: "PUT", body: { name: "Dogs" } });
  await enter();

  await step("all controls are large enough to touch", async () => {
    await rowOf(page, "Animal 100").waitFor();
    const findLowControls = () =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>("button:not(.open), a, select, input:not([type=checkbox])")]
          .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 40)
          .map((element) => element.outerHTML),
      );
    expect(await findLowControls()).toEqual([]);
    expect(await page.getByRole("button", { name: "sold 33" }).isVisible()).toBe(false);
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("button", { name: "Animal 99", exact: true }).click();
    await page.getByRole("dialog").getByLabel("Name").waitFor();
    expect(await findLowControls()).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  await step("the toolbar for selected animals fits the screen, and its confirmation is at the bottom", async () => {
    await rowOf(page, "Animal 100").getByRole("checkbox").check();
    const bar = page.getByRole("toolbar", { name: "Selected animals" });
    expect(await bar.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await bar.getByRole("button", { name: "Delete" }).click();
    expect(await measureBottom(page, "Delete 1 animal?")).toBe(740);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Clear the selection" }).click();
  });

  await step("an animal's category is below the name, the filters are collapsed, and the page scrolls", async () => {
    const row = rowOf(page, "Animal 100");
    const name = await row.getByRole("button").boundingBox();
    const category = await row.getByText("Dogs").boundingBox();
    expect(category?.y).toBeGreaterThan((name?.y ?? 0) + (name?.height ?? 0) / 2);
    await page.getByRole("button", { name: "sold 33" }).click();
    await page.getByText("33 animals").waitFor();
    await page.getByRole("button", { name: "Filters 1" }).waitFor();
    await page.evaluate(() => scrollTo(0, 600));
    expect(await page.evaluate(() => scrollY)).toBe(600);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  });

  await step("the buttons of a row fit the table, and the confirmation is at the bottom of the screen", async () => {
    await service.client.call("/v1/categories/0", { method: "DELETE" });
    await service.client.call("/v1/categories/1", { method: "PUT", body: { name: "Reptiles" } });
    await page.getByRole("link", { name: "Categories" }).click();
    const listing = page.locator(".wide", { has: page.getByRole("cell", { name: "Reptiles" }) });
    expect(await listing.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await page.getByRole("button", { name: "Delete the name of category 1" }).click();
    expect(await measureBottom(page, "Delete this name?")).toBe(740);
  });
});

async function measureBottom(page: Page, title: string): Promise<number> {
  const { y = 0, height = 0 } = (await page.getByRole("dialog", { name: title }).boundingBox()) ?? {};
  return y + height;
}

test("the focused element stays visible and uncovered at a zoom of 400%", async () => {
  await using visitor = await visit({ viewport: { width: 320, height: 256 }, path: "/keys", animals: 3 });
  const { page, service, url, enter } = visitor;
  const { key } = await addKey(service.store, { name: "first", scope: "admin" });
  await service.client.call("/v1/store/orders", { body: { petId: 3 } });
  await enter(key);
  const tabTo = async (element: Locator) => {
    await element.waitFor();
    for (let press = 0; press < 40; press++) {
      await page.keyboard.press("Tab");
      if (await element.evaluate((wanted) => wanted === document.activeElement)) return;
    }
    throw new Error(`Tab does not lead to ${element}.`);
  };
  const isVisible = (element: Locator) =>
    element.evaluate((wanted) => {
      const { left, top, width, height } = wanted.getBoundingClientRect();
      return [0.1, 0.5, 0.9].some((part) =>
        wanted.contains(document.elementFromPoint(left + width / 2, top + height * part)),
      );
    });
  for (const [path, elements] of [
    ["/keys", ["Rotate key 1", "Revoke key 1"].map((name) => page.getByRole("button", { name }))],
    ["/orders", [page.getByRole("button", { name: "oldest first" })]],
    ["/animals?animal=2", [page.getByRole("dialog").getByLabel("Category")]],
  ] as const) {
    await page.goto(url + path);
    for (const element of elements) {
      await tabTo(element);
      expect(`${element} is ${(await isVisible(element)) ? "" : "not "}in sight`).toBe(`${element} is in sight`);
    }
  }
});

test("a notice covers no row at any width", async () => {
  await using visitor = await enterConsole({ animals: 60 });
  const { page } = visitor;
  for (const [id, width] of [
    [59, 360],
    [58, 768],
    [57, 1440],
  ] as const) {
    await step(`a notice covers no row at ${width} pixels`, async () => {
      await page.setViewportSize({ width, height: 740 });
      await page.getByRole("button", { name: `Animal ${id}`, exact: true }).click();
      await page.getByRole("dialog").getByLabel("Name").fill(`Bella ${id}`);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText(`Saved Bella ${id}.`).waitFor();
      const notice = await page.locator(".message").boundingBox();
      const table = await page.getByRole("table").boundingBox();
      expect((notice?.y ?? 0) + (notice?.height ?? 0)).toBeLessThanOrEqual(table?.y ?? 0);
      await page.getByRole("button", { name: "Dismiss" }).click();
      await page.getByText(`Saved Bella ${id}.`).waitFor({ state: "detached" });
    });
  }
});

test("long names neither push the actions out of the table nor cover other elements", async () => {
  await using visitor = await visit({ path: "/orders", parts: { webhooks: webhookOptions } });
  const { page, service, enter } = visitor;
  for (const name of ["Rex", longName, "Sir Barksalot of the Northern Highlands"]) {
    const { json } = await service.client.call("/v1/pets", { body: { name, categoryId: 1 } });
    await service.client.call("/v1/store/orders", { body: { petId: (json as { id: number }).id } });
  }
  await service.client.call("/v1/store/orders/1/complete", { body: {} });
  for (const [index, name] of ["Dogs", "Small mammals and other rodents", "x".repeat(60)].entries()) {
    await service.client.call(`/v1/categories/${index + 1}`, { method: "PUT", body: { name } });
  }
  const { key } = await addKey(service.store, { name: "first", scope: "admin" });
  await addKey(service.store, { name: "The desk at the front, beside the window to the street", scope: "write" });
  await addWebhook(service.client, `http://127.0.0.1:9/${"a-long-way/".repeat(8)}`);
  await enter(key);
  for (const [view, text] of [
    ["Orders", longName],
    ["Categories", "Small mammals and other rodents"],
    ["Keys", "first"],
    ["Webhooks", /a-long-way/],
  ] as const) {
    await page.setViewportSize({ width: 1280, height: 1_600 });
    await page.getByRole("link", { name: view }).click();
    await page.getByRole("row").getByText(text).waitFor();
    for (const width of [1440, 1280, 1100, 1024, 768, 660, 390, 360]) {
      await page.setViewportSize({ width, height: 1_600 });
      expect([view, width, await findLayoutProblems(page)]).toEqual([view, width, []]);
      if (width === 768 || width === 360) expect([view, await findAxeViolations(page)]).toEqual([view, []]);
    }
    if (view === "Keys") expect(await page.getByRole("row").nth(1).innerText()).toContain("first (yours)");
  }
});

const longName = "Ch. Moonlight's Golden Sunrise Over The Western Hills of Kent (Bella)";

/** Finds elements of a list that are cut off, covered, or too narrow to read, and a placeholder that is cut off. */
function findLayoutProblems(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const listing = document.querySelector(".listing");
    if (!listing) return ["no listing"];
    const { right } = listing.getBoundingClientRect();
    const findVisible = (selector: string) =>
      [...listing.querySelectorAll<HTMLElement>(selector)].filter((element) => element.checkVisibility());
    const isCovered = (element: Element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const topElement = document.elementFromPoint(left + width / 2, top + height / 2);
      return !topElement || !(element.contains(topElement) || topElement.contains(element));
    };
    const input = document.querySelector<HTMLInputElement>("form input[placeholder]");
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    const isPlaceholderCut = (field: HTMLInputElement) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(field);
      if (context) context.font = font;
      const availableWidth = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      return (context?.measureText(field.placeholder).width ?? 0) > availableWidth;
    };
    return [
      ...findVisible("button, td, .state, .status").filter((element) => element.getBoundingClientRect().right > right),
      ...findVisible("button, td > a, td > bdi").filter(isCovered),
      ...findVisible("td").filter((cell) => cell.scrollWidth > cell.clientWidth),
      ...findVisible("td:has(> bdi, > a > bdi)").filter((cell) => cell.clientWidth < 100),
      ...(input && isPlaceholderCut(input) ? [input] : []),
    ].map((element) => element.outerHTML);
  });
}

test("a category can be chosen by its name, and the counts by status then include only that category", async () => {
  await using visitor = await visit({ animals: 100 });
  const { page, service, enter } = visitor;
  await service.client.call("/v1/categories/2", { method: "PUT", body: { name: "Dogs" } });
  await enter();
  await page.getByRole("button", { name: "all 100" }).waitFor();
  await page.getByLabel("Category").fill("do");
  await page.getByRole("option", { name: "Dogs" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "all 20" }).waitFor();
  await page.getByRole("button", { name: "sold 7" }).click();
  await page.getByText("7 animals, newest first").waitFor();
  expect(await page.getByLabel("Category").inputValue()).toBe("Dogs");
});

test("the chosen density and theme are stored on the device and apply immediately to other tabs", async () => {
  await using visitor = await enterConsole({ animals: 3 });
  const { page, service } = visitor;
  const other = await visitor.openTab("/animals", service.client.key);
  await rowOf(other, "Animal 3").waitFor();
  const height = async () => (await rowOf(other, "Animal 3").boundingBox())?.height;
  const comfortableHeight = (await height()) ?? 0;
  await page.getByRole("button", { name: "Your key" }).click();
  await page.getByRole("button", { name: "compact" }).click();
  await page.getByRole("button", { name: "dark" }).click();
  await other.waitForFunction((before) => {
    const row = document.querySelector(".rows .row");
    return row && row.getBoundingClientRect().height < before;
  }, comfortableHeight);
  await other.waitForFunction(() => getComputedStyle(document.documentElement).colorScheme === "dark");
});
