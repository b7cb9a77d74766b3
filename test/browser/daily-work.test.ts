import { expect } from "bun:test";
import type { Pet } from "../../packages/client/src/index.ts";
import {
  failedRequestPattern,
  findAxeViolations,
  intercept,
  rowOf,
  step,
  test,
  type Visit,
  visit,
} from "../support/browser.ts";
import { addKey } from "../support/keys.ts";
import { startService } from "../support/service.ts";
import { clickButtons, deleteAnimal, loseResponse, runCommand, signInOnDevice } from "./gestures.ts";

const readPets = async ({ service }: Visit) => (await service.client.call("/v1/pets?limit=100")).json as Pet[];

test("several animals can be changed at once, and changes and deletions can be undone", async () => {
  await using visitor = await visit({ animals: 12 });
  const { page, service, enter, withExpectedErrors } = visitor;
  const before = await readPets(visitor);
  await enter();

  await step(
    "a bulk change lists failures with their reasons, and the other changes can be undone",
    withExpectedErrors([failedRequestPattern(409)], async () => {
      await page.getByRole("checkbox", { name: "Select Animal 1", exact: true }).check();
      await page.getByRole("button", { name: "Select all" }).click();
      await page.getByText("12 selected").waitFor();
      await page.getByLabel("Change the status").selectOption("sold");
      const dialog = page.getByRole("dialog", { name: "Changing 12 animals" });
      await dialog.getByText("Its next status can be pending, not sold.").first().waitFor();
      expect(await findAxeViolations(page)).toEqual([]);
      const available = before.filter(({ status }) => status === "available").length;
      expect(await dialog.getByRole("listitem").count()).toBe(available);
      await dialog.getByRole("button", { name: "Close" }).last().click();
      await page.getByText(`${available} selected`).waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByText("animals were restored.").waitFor();
      expect(await readPets(visitor)).toEqual(before);
      await page.getByRole("button", { name: "Clear the selection" }).click();
    }),
  );

  await step("animals can be selected with Shift or by keyboard, and moved to a new category", async () => {
    await page.getByRole("checkbox", { name: "Select Animal 12", exact: true }).check();
    await page.getByRole("checkbox", { name: "Select Animal 9", exact: true }).click({ modifiers: ["Shift"] });
    await page.getByText("4 selected").waitFor();
    await page.getByRole("button", { name: "Animal 7", exact: true }).focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByText("6 selected").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    // While Shift is held down, the key sends a capital letter.
    await page.keyboard.press("Shift+X");
    await page.getByText("8 selected").waitFor();
    await page.keyboard.press("Control+x");
    expect(await findAxeViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Category", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Category").fill("Dragons");
    await dialog.getByRole("option", { name: "Create the category Dragons" }).click();
    await dialog.getByText("Number 5").waitFor();
    await dialog.getByRole("button", { name: "Change" }).click();
    await page.getByText("Changed 8 animals.").waitFor();
    await rowOf(page, "Animal 9").getByText("Dragons").waitFor();
    const movedIds = (await readPets(visitor)).filter(({ categoryId }) => categoryId === 5).map(({ id }) => id);
    expect(movedIds).toEqual([4, 5, 6, 7, 9, 10, 11, 12]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("8 animals were restored.").waitFor();
  });

  await step("undoing a deletion creates a new animal with the same data and another number", async () => {
    await deleteAnimal(page, "Animal 2");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Animal 2 is back, as animal 13: numbers are never reused.").waitFor();
    await rowOf(page, "Animal 2").waitFor();
    const ids = (await readPets(visitor)).map(({ id }) => id);
    expect(ids).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect((await readPets(visitor)).at(-1)).toMatchObject({ id: 13, name: "Animal 2" });
  });

  await step(
    "a new category is created only once, even if the response is lost",
    withExpectedErrors([/net::ERR_FAILED/, failedRequestPattern(412)], async () => {
      let putCount = 0;
      await intercept(page, "**/v1/categories/*", async (route) => {
        if (route.request().method() !== "PUT" || putCount++ > 0) await route.continue();
        else await loseResponse(route);
      });
      await page.getByRole("button", { name: "Animal 12", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Category").fill("Griffins");
      await dialog.getByRole("option", { name: "Create the category Griffins" }).click();
      await dialog.getByText("Number 6").waitFor();
      expect((await service.client.call("/v1/categories")).json).toEqual([
        { id: 5, name: "Dragons" },
        { id: 6, name: "Griffins" },
      ]);
      expect(putCount).toBe(2);
    }),
  );
});

test('"Select all" follows the filter, is cancelled when the filter changes, and reports its limit and failures', async () => {
  await using visitor = await visit({
    path: "/animals?status=sold",
    animals: 1_010,
    expectedErrors: [failedRequestPattern(400)],
  });
  const { page, enter } = visitor;
  await enter();
  const selectAll = page.getByRole("button", { name: "Select all" });
  await page.getByRole("checkbox", { name: "Select Animal 1010" }).check();
  // Waits until the table has loaded, so that all further requests for animals come from "Select all".
  await page.getByText("337 animals, newest first").waitFor();
  const requested = Promise.withResolvers<void>();
  const filterChanged = Promise.withResolvers<void>();
  const cancelled = page.waitForEvent("requestfailed", (request) => request.url().includes("status=sold"));
  await intercept(page, "**/v1/pets?*status=sold*", async (route) => {
    requested.resolve();
    await filterChanged.promise;
    await route.continue().catch(() => {});
  });
  await selectAll.click();
  await requested.promise;
  await page.getByRole("button", { name: "all 1,010" }).click();
  await cancelled;
  filterChanged.resolve();
  await page.getByText("1,010 animals, newest first").waitFor();
  await page.getByRole("checkbox", { name: "Select Animal 1009" }).check();
  await page.getByText("1 selected", { exact: true }).waitFor();

  await intercept(page, "**/v1/pets?*", (route) =>
    route.continue({ url: route.request().url().replace("limit=100", "limit=1000") }),
  );
  await selectAll.click();
  await page.getByText("The animals could not be selected. ").waitFor();
  await page.unroute("**/v1/pets?*");
  await selectAll.click();
  await page.getByText("Newest 1,000 of 1,010 selected").waitFor();
});

test("a change can be undone after another notice and after a failed undo, but not after a sign-out", async () => {
  await using visitor = await visit({ animals: 3, expectedErrors: [/ERR_FAILED/] });
  const { page, enter, signIn, expectedErrors } = visitor;
  await enter();
  await deleteAnimal(page, "Animal 2");
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByText("Exported 2 animals.").waitFor();
  expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
  await intercept(page, "**/v1/pets", loseResponse);
  await page.keyboard.press("Control+z");
  await page.getByText("Animal 2 could not be restored. ").waitFor();
  await page.unroute("**/v1/pets");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Animal 2 is back, as animal 4: numbers are never reused.").waitFor();
  expect((await readPets(visitor)).map(({ id }) => id)).toEqual([1, 3, 4]);

  await rowOf(page, "Animal 3").getByText("available").waitFor();
  await page.getByRole("button", { name: "Animal 3", exact: true }).focus();
  await page.keyboard.press("r");
  await page.getByText("Reserved Animal 3 with order 1.").waitFor();
  const cancellations = "**/v1/store/orders/1/cancel";
  await intercept(page, cancellations, loseResponse);
  await page.keyboard.press("Control+z");
  await page.getByText("Order 1 could not be cancelled. ").waitFor();
  await page.unroute(cancellations);
  expectedErrors.push(failedRequestPattern(409));
  await page.keyboard.press("Control+z");
  await page.getByText("Order 1 is cancelled, and Animal 3 is for sale again.").waitFor();
  await page.keyboard.press("r");
  await page.getByText("Reserved Animal 3 with order 2.").waitFor();
  await clickButtons(page, "Your key", "Sign out");
  await signIn();
  expect(await page.locator(".message").count()).toBe(0);
});

test("a bulk change that is interrupted by the revocation of the key can be undone with another key", async () => {
  await using visitor = await visit({ animals: 8, expectedErrors: [failedRequestPattern(401)] });
  const { page, service, enter, signIn } = visitor;
  const { key, id } = await addKey(service.store, { scope: "write" });
  await enter(key);
  await page.getByRole("checkbox", { name: "Select Animal 8" }).check();
  await page.getByRole("button", { name: "Select all" }).click();
  await page.getByText("8 selected").waitFor();
  let requestCount = 0;
  const sessionEnded = Promise.withResolvers<void>();
  await intercept(page, "**/v1/pets/*", async (route) => {
    if (++requestCount === 1) return await route.continue();
    // The second request deletes an animal, but the response is lost.
    if (requestCount === 2) await route.fetch();
    // Revokes the key once all six concurrent requests are in flight.
    if (requestCount === 7) await service.store.keys.revoke(id, Date.now(), false);
    await sessionEnded.promise;
    await route.abort().catch(() => {});
  });
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("You were signed out. The API key is revoked.").waitFor();
  sessionEnded.resolve();
  await signIn();
  const progress = "done with 1 of 8 animals, and perhaps with 6 more.";
  await page.getByText(`It was interrupted when you were signed out: ${progress}`).waitFor();
  expect(await readPets(visitor)).toHaveLength(6);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("is back, as animal 9: numbers are never reused.").waitFor();
});

test("pressing R reserves an animal and Ctrl+Z undoes the reservation, even with Caps Lock", async () => {
  await using visitor = await visit({ animals: 3, expectedErrors: [failedRequestPattern(409)] });
  const { page, enter } = visitor;
  const before = await readPets(visitor);
  await enter();
  await rowOf(page, "Animal 3").getByText("available").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("r");
  await rowOf(page, "Animal 3").getByText("pending").waitFor();
  await page.keyboard.press("Control+z");
  await page.getByText("Order 1 is cancelled, and Animal 3 is for sale again.").waitFor();
  await rowOf(page, "Animal 3").getByText("available").waitFor();
  expect(await readPets(visitor)).toEqual(before);
  await page.keyboard.press("R");
  await rowOf(page, "Animal 3").getByText("pending").waitFor();
  await page.keyboard.press("Control+Z");
  await page.getByText("Order 2 is cancelled, and Animal 3 is for sale again.").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("r");
  await page.getByText(/^Animal 2 could not be reserved\./).waitFor();
  await page.keyboard.press("C");
  await page.getByText("Animal 2 has no open order.").waitFor();
});

test("the form for a new animal keeps its input after Back, a reload, or the revocation of the key", async () => {
  await using visitor = await visit({ animals: 3, expectedErrors: [failedRequestPattern(401)] });
  const { page, service, enter, signIn } = visitor;
  const { key, id } = await addKey(service.store, { scope: "write" });
  await enter(key);
  await page.getByRole("button", { name: "Add an animal" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Rex");
  await page.goBack();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Add an animal" }).click();
  await dialog.getByText("What you typed was restored.").waitFor();
  expect(await dialog.getByLabel("Name").inputValue()).toBe("Rex");
  await page.reload();
  await dialog.getByText("What you typed was restored.").waitFor();
  expect(await dialog.getByLabel("Name").inputValue()).toBe("Rex");
  await service.store.keys.revoke(id, Date.now(), false);
  await page.getByText("You were signed out. The API key is revoked.").waitFor();
  await signIn();
  expect(await dialog.getByLabel("Name").inputValue()).toBe("Rex");
  await dialog.getByLabel("Category").fill("1");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("Added Rex as animal 4.").waitFor();
  await rowOf(page, "Rex").getByText("just now").waitFor();
  await page.getByRole("button", { name: "Add an animal" }).click();
  expect(await dialog.getByLabel("Name").inputValue()).toBe("");
});

test("forms keep their input after a failed request or a reload", async () => {
  await using visitor = await visit({ expectedErrors: [/ERR_FAILED/] });
  const { page, service, enter } = visitor;
  await enter();

  await step('"Add and continue" restores the name of an animal that could not be added', async () => {
    await page.getByRole("button", { name: "Add an animal" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Add an animal" });
    await dialog.getByLabel("Name").fill("Rex");
    await dialog.getByLabel("Category").fill("7");
    await intercept(page, "**/v1/pets", (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    );
    await page.keyboard.press("Control+Enter");
    await dialog.getByText("The store did not respond.").waitFor();
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Rex");
    expect(await findAxeViolations(page)).toEqual([]);
    await page.unroute("**/v1/pets");
    await page.keyboard.press("Control+Enter");
    await dialog.getByText("Added Rex as animal 1.").waitFor();
    await page.keyboard.type("Max");
    await dialog.getByRole("button", { name: "Add and continue" }).click();
    await dialog.getByText("Added Max as animal 2.").waitFor();
    expect(await findAxeViolations(page)).toEqual([]);
    // Ctrl+Enter also accepts the suggested category: first a new category, then an existing category.
    for (const [id, name, typed, suggestion] of [
      [3, "Polly", "Parrots", "Create the category Parrots"],
      [4, "Kiki", "Par", "Parrots 1"],
    ] as const) {
      await page.keyboard.type(name);
      await page.keyboard.press("Tab");
      await page.keyboard.type(typed);
      await dialog.getByRole("option", { name: suggestion, selected: true }).waitFor();
      await page.keyboard.press("Control+Enter");
      await dialog.getByText(`Added ${name} as animal ${id}.`).waitFor();
      expect(await dialog.getByLabel("Name").evaluate((element) => element === document.activeElement)).toBe(true);
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect((await readPets(visitor)).map(({ name, categoryId }) => [name, categoryId])).toEqual([
      ["Rex", 7],
      ["Max", 7],
      ["Polly", 1],
      ["Kiki", 1],
    ]);
  });

  await step("the forms of keys and categories keep their input after a reload", async () => {
    await page.getByRole("link", { name: "Keys" }).click();
    await page.getByRole("button", { name: "Create a key" }).click();
    const dialog = page.getByRole("dialog", { name: "Create a key" });
    await dialog.getByLabel("Name").fill("till");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Keep editing" }).click();
    await page.reload();
    await page.getByRole("button", { name: "Create a key" }).click();
    await dialog.getByText("What you typed was restored.").waitFor();
    expect(await dialog.getByLabel("Name").inputValue()).toBe("till");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("link", { name: "Categories" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Dragons");
    await page.reload();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Dragons");
    await service.client.call("/v1/categories/1", { method: "PUT", body: { name: "Dogs" } });
    await page.getByRole("button", { name: "Rename category 1" }).click();
    const renaming = page.getByRole("textbox", { name: "Name of category 1" });
    await renaming.fill("Hounds");
    await page.reload();
    expect(await renaming.inputValue()).toBe("Hounds");
    await service.client.call("/v1/categories/1", { method: "PUT", body: { name: "Puppies" } });
    await page.reload();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Somebody else has renamed it to Puppies.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Category 1 is now called Hounds.").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Rename category 1" }).waitFor();
    expect(await renaming.count()).toBe(0);
  });
});

test("the console refetches all data if the event log has been replaced", async () => {
  await using otherService = await startService({}, "sqlite");
  await using visitor = await visit({ expectedErrors: [failedRequestPattern(409)] });
  const { page, service, open, signIn } = visitor;
  for (const { client } of [otherService, service]) {
    for (const name of ["Rex", "Max"]) await client.call("/v1/pets", { body: { name, categoryId: 1 } });
  }
  await open();
  const { headers } = await otherService.client.call("/v1/events?limit=1");
  const [, cursor = ""] = /[?&]cursor=([^&>]+)/.exec(headers.get("link") ?? "") ?? [];
  let streamCount = 0;
  await intercept(page, "**/v1/events*", async (route) => {
    const requestHeaders = route.request().headers();
    if (!requestHeaders["accept"]?.includes("text/event-stream") || ++streamCount > 1) return await route.continue();
    // The stream misses this change, because its cursor is from the event log of another store.
    await rowOf(page, "Max").waitFor();
    await service.client.call("/v1/pets/2", { method: "PATCH", body: { name: "Bella" } });
    await route.continue({ headers: { ...requestHeaders, "last-event-id": decodeURIComponent(cursor) } });
  });
  await signIn();
  await rowOf(page, "Bella").waitFor();
  expect(streamCount).toBeGreaterThan(1);
});

test("a user can stay signed in on a device, and signing out applies to all tabs", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, open } = visitor;
  await open();
  await signInOnDevice(page, service.client.key);
  await rowOf(page, "Animal 3").waitFor();
  const other = await visitor.openTab("/animals");
  await rowOf(other, "Animal 3").waitFor();
  await clickButtons(other, "Your key", "Sign out");
  await page.getByLabel("API key").waitFor();
  expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
});

test("all tabs keep their input when the stored key is revoked, and signing out asks before it discards input", async () => {
  await using visitor = await visit({ animals: 3, expectedErrors: [failedRequestPattern(401)] });
  const { page, service, open } = visitor;
  const { key, id } = await addKey(service.store, { scope: "write" });
  await open();
  await signInOnDevice(page, key);
  await rowOf(page, "Animal 3").waitFor();
  const other = await visitor.openTab("/animals?animal=3");
  await other.getByLabel("Name").fill("Rex");
  // The second tab cannot reach the store, so that only the first tab can report the revocation to the second tab.
  await intercept(other, "**/v1/**", () => {});
  await service.store.keys.revoke(id, Date.now(), false);
  for (const tab of [page, other]) {
    await tab.getByText("You were signed out. The API key is revoked. Use another one.").waitFor();
  }
  await other.unroute("**/v1/**");
  await other.getByLabel("API key").fill(service.client.key);
  await other.getByRole("button", { name: "Sign in" }).click();
  const name = other.getByRole("dialog").getByLabel("Name");
  expect(await name.inputValue()).toBe("Rex");
  const question = other.getByRole("dialog", { name: "Sign out?" });
  for (const answer of ["Stay signed in", "Sign out"]) {
    await runCommand(other, "Sign out");
    await question.getByText("What you have typed has not been saved.").waitFor();
    expect(await name.inputValue()).toBe("Rex");
    await question.getByRole("button", { name: answer }).click();
  }
  await other.getByLabel("API key").waitFor();
  expect(await other.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
});

test("printing the animals prints the complete filtered list, without the open dialog", async () => {
  await using visitor = await visit({ animals: 300 });
  const { page, enter } = visitor;
  await enter();
  await page.getByRole("button", { name: "sold 100" }).click();
  await page.getByText("100 animals, newest first").waitFor();
  await page.getByRole("button", { name: "Animal 299", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Name").waitFor();
  await page.evaluate(() => {
    window.print = () => {
      document.documentElement.dataset["printed"] = "yes";
    };
  });
  await page.keyboard.press("Control+p");
  await page.locator('html[data-printed="yes"]').waitFor();
  await page.emulateMedia({ media: "print" });
  // Counts elements by tag name, because elements behind a dialog have no role.
  expect(await page.locator("tr").filter({ visible: true }).count()).toBe(101);
  expect(await page.locator("nav, dialog, .message").filter({ visible: true }).count()).toBe(0);
});

test("the command palette opens in every view, finds and runs commands, and returns the focus when it closes", async () => {
  await using visitor = await visit({ animals: 30 });
  const { page, service, enter } = visitor;
  await service.client.call("/v1/categories/1", { method: "PUT", body: { name: "Dogs" } });
  await enter();
  await page.getByRole("button", { name: "Animal 20", exact: true }).focus();
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Search or do anything" });
  await field.waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Animal 20");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("dog");
  await page.getByRole("option", { name: "Dogs Show its animals" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL((target) => target.searchParams.get("category") === "1");
  await runCommand(page, "orders");
  await page.getByText("No orders yet").waitFor();
  await runCommand(page, "compact");
  await page.waitForFunction(() => document.documentElement.dataset["density"] === "compact");
  await page.reload();
  await page.waitForFunction(() => document.documentElement.dataset["density"] === "compact");
  await runCommand(page, "shortcuts");
  const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await shortcuts.getByText("Reserve the animal in the list").waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await shortcuts.waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("nothing like this");
  await page.getByText("Nothing matches nothing like this.").waitFor();
});
