import { expect } from "bun:test";
import {
  findAxeViolations,
  holdRequests,
  intercept,
  rowOf,
  test,
  untilTexts,
  type Visit,
  visit,
} from "../support/browser.ts";

test("while the user types, the palette finds animals by the start of the name, ignoring case and accents", async () => {
  await using visitor = await openStore();
  const { page } = visitor;
  await page.getByRole("button", { name: "Search or do anything" }).click();
  await page.keyboard.type("re");
  const animals = page.getByRole("group", { name: "Animals" }).getByRole("option");
  await untilTexts(animals.locator("bdi"), ["REA", "Rémy", "Rex"]);
  await untilTexts(animals.locator("mark"), ["RE", "Ré", "Re"]);
  await page.getByRole("option", { name: "Reptiles Show its animals" }).waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
  const narrowedResponse = page.waitForResponse(/name=rem/);
  await page.keyboard.type("m");
  await (await narrowedResponse).finished();
  await page.getByRole("option", { name: "Reserve Rémy" }).waitFor();
  await untilTexts(animals.locator("bdi"), ["Rémy", "Reserve Rémy"]);
  await page.keyboard.press("Backspace");
  await animals.nth(2).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Rex" }).getByText("Animal 1").waitFor();
});

test("pressing Enter in the palette before the response arrives opens the first result, and a late response changes nothing", async () => {
  await using visitor = await openStore();
  const { page } = visitor;
  const released = Promise.withResolvers<void>();
  const requestedNames: string[] = [];
  await intercept(page, "**/v1/pets?*name=*", async (route) => {
    const name = new URL(route.request().url()).searchParams.get("name") ?? "";
    requestedNames.push(name);
    if (name === "b") await released.promise;
    await route.continue().catch(() => {});
  });
  const request = page.waitForRequest(/name=b/);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("b");
  await request;
  await page.keyboard.type("ella");
  await page.keyboard.press("Enter");
  const bella = page.getByRole("dialog", { name: "Bella" });
  await bella.getByText("Animal 4").waitFor();
  released.resolve();
  await page.unrouteAll({ behavior: "wait" });
  await bella.getByText("Animal 4").waitFor();
  expect(requestedNames.at(0)).toBe("b");
  expect(requestedNames.at(-1)).toBe("bella");
});

test("an option that the user activates with the arrow keys stays active when the list of options changes", async () => {
  await using visitor = await openStore();
  const { page, service } = visitor;
  const release = await holdRequests(page, "**/v1/pets?*name=*");
  const selected = page.locator('[role="option"][aria-selected="true"]');
  await page.keyboard.press("Control+k");
  await page.keyboard.type("re");
  await page.getByRole("option", { name: "Read the API reference" }).waitFor();
  await page.keyboard.press("ArrowUp");
  await untilTexts(selected.locator("bdi"), ["Read the API reference"]);
  release();
  await page.getByRole("option", { name: "Rex 1, available" }).waitFor();
  await untilTexts(selected.locator("bdi"), ["Read the API reference"]);
  await page.keyboard.press("ArrowUp");
  await untilTexts(selected.locator("bdi"), ["Reptiles"]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/docs");
  await page.goBack();
  await page.getByRole("button", { name: "Bella", exact: true }).click();
  await page.getByRole("dialog", { name: "Bella" }).getByLabel("Category").fill("r");
  await page.keyboard.press("ArrowDown");
  await untilTexts(selected.locator("bdi"), ["Create the category r"]);
  await service.client.call("/v1/categories/2", { method: "PUT", body: { name: "Rodents" } });
  await page.getByRole("option", { name: "Rodents 2" }).waitFor();
  await untilTexts(selected.locator("bdi"), ["Create the category r"]);
  await page.keyboard.press("Enter");
  await page.getByText("Number 3").waitFor();
  expect((await service.client.call("/v1/categories/3")).json).toMatchObject({ name: "r" });
});

test("the palette reports that more animals match, that nothing matches, or that the search failed", async () => {
  await using visitor = await openStore();
  const { page, service, expectedErrors } = visitor;
  expectedErrors.push(/ERR_FAILED/);
  const pets = Array.from({ length: 7 }, (_, index) => ({ name: `Zoe ${index + 1}`, categoryId: 1 }));
  await service.client.call("/v1/pets:batch", { body: { pets } });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("zoe");
  await page.getByText("More animals match: keep typing.").waitFor();
  await page.keyboard.type(" 7");
  await page.getByRole("option", { name: "Zoe 7", exact: false }).first().waitFor();
  await page.getByText("More animals match").waitFor({ state: "detached" });
  await page.keyboard.type("x");
  await page.getByText("Nothing matches zoe 7x.").waitFor();
  await intercept(page, "**/v1/pets?*name=*", (route) => route.abort());
  await page.getByRole("combobox", { name: "Search or do anything" }).fill("sig");
  await page.getByText("Animals could not be searched. The store cannot be reached.").waitFor();
  await page.getByRole("option", { name: "Sign out" }).waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
  await page.unrouteAll();
  await page.getByRole("combobox", { name: "Search or do anything" }).fill("rex");
  await page.getByRole("option", { name: "Rex 1, available" }).waitFor();
  await page.getByText("Animals could not be searched").waitFor({ state: "detached" });
});

async function openStore(): Promise<Visit> {
  const visitor = await visit();
  const { service, page, enter } = visitor;
  for (const name of ["Rex", "Rémy", "REA", "Bella"]) {
    await service.client.call("/v1/pets", { body: { name, categoryId: 1 } });
  }
  await service.client.call("/v1/categories/1", { method: "PUT", body: { name: "Reptiles" } });
  await enter();
  await page.getByText("4 animals, newest first").waitFor();
  return visitor;
}

test("a category is found by the start of its name, even if the console has not loaded the category", async () => {
  await using visitor = await openStore();
  const { page, service } = visitor;
  const categories = Array.from({ length: 2_000 }, (_, index) => ({ id: 100 + index, name: `Category ${index + 1}` }));
  await Promise.all(
    [...categories, { id: 5_000, name: "Zèbres" }].map((each) => service.store.categories.put(each, null)),
  );
  await page.reload();
  await page.getByText("4 animals, newest first").waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("zeb");
  await page.getByRole("option", { name: "Zèbres Show its animals" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Rex", exact: true }).click();
  const category = page.getByRole("dialog", { name: "Rex" }).getByLabel("Category");
  await category.fill("zeb");
  await page.getByRole("option", { name: "Zèbres 5000" }).click();
  await page.getByText("Number 5000").waitFor();
  expect(await category.inputValue()).toBe("Zèbres");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved Rex.").waitFor();
  expect((await service.client.call("/v1/pets?id=1")).json).toMatchObject([{ name: "Rex", categoryId: 5_000 }]);
  // All views show the name of the category, although the console has not loaded all categories.
  await rowOf(page, "Rex").getByText("Zèbres 5000").waitFor();
  await page.getByRole("link", { name: "Activity" }).click();
  await page.getByText("Zèbres 5000").first().waitFor();
});
