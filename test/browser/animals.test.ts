import { expect } from "bun:test";
import type { Locator } from "playwright-core";
import { failedRequest, intercept, rowOf, test, type Visit, violationsOn, visit } from "../support/browser.ts";
import { until } from "../support/wait.ts";

async function openForm({ page }: Visit) {
  await page.getByRole("button", { name: "Add an animal" }).first().click();
  const dialog = page.getByRole("dialog");
  return {
    name: dialog.getByLabel("Name"),
    category: dialog.getByLabel("Category"),
    add: dialog.getByRole("button", { name: /^(Add(ing)?|Try again)$/ }),
    dialog,
  };
}

async function openAnimal({ page }: Visit, name: string) {
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("dialog", { name, exact: true }).getByLabel("Name").waitFor();
  return page
    .getByRole("dialog")
    .filter({ hasText: /Animal \d+/ })
    .first();
}

type Held = PromiseWithResolvers<void>;

/** How far a notice's table is below its text, and how much of the notice lies outside of it. */
const shapeOf = (notice: Locator) =>
  notice.evaluate((element) => {
    const text = document.createRange();
    text.selectNodeContents(element.querySelector("p") ?? element);
    const table = element.querySelector("table");
    return {
      gap: (table?.getBoundingClientRect().top ?? Number.NaN) - text.getBoundingClientRect().bottom,
      overflow: element.scrollWidth - element.clientWidth,
    };
  });

const animalsOf = async ({ service }: Visit) =>
  (await service.client.call("/v1/pets?limit=100")).json as { id: number; name: string; status: string }[];

test("an empty store is filled with sample animals, and with the names of their categories", async () => {
  await using visitor = await visit();
  const { page, signIn } = visitor;
  await signIn();
  await page.getByText("No animals yet").waitFor();
  await page.getByRole("button", { name: "Load sample animals" }).click();
  await page.getByText("Added 20 sample animals.").waitFor();
  await rowOf(page, "Rex").getByText("Dogs").waitFor();
  expect(await animalsOf(visitor)).toHaveLength(20);
});

test("sample animals that were interrupted are reported, and another try adds only the missing ones", async () => {
  await using visitor = await visit();
  const { page, signIn, expectedErrors } = visitor;
  // The second try finds the categories named already.
  expectedErrors.push(/ERR_FAILED/, failedRequest(412));
  await signIn();
  let sent = 0;
  await intercept(page, "**/v1/pets", async (route) => {
    if (route.request().method() !== "POST" || ++sent < 6) return await route.continue();
    await route.fetch();
    await route.abort();
  });
  await page.getByRole("button", { name: "Load sample animals" }).click();
  await page.getByRole("alert").getByText("The store did not respond.").waitFor();
  expect(await animalsOf(visitor)).toHaveLength(6);
  await page.unroute("**/v1/pets");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Added 20 sample animals.").waitFor();
  expect(await animalsOf(visitor)).toHaveLength(20);
});

test("an empty store shows the first animal that a colleague adds", async () => {
  await using visitor = await visit();
  const { page, service, signIn } = visitor;
  await signIn();
  await page.getByText("No animals yet").waitFor();
  await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  await rowOf(page, "Rex").waitFor();
});

test("an animal that is opened again is shown as it has become, and can be changed again", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, signIn } = visitor;
  await signIn();
  await openAnimal(visitor, "Animal 3");
  await page.keyboard.press("Escape");
  await service.client.call("/v1/pets/3", { method: "PATCH", body: { categoryId: 77 } });
  const dialog = await openAnimal(visitor, "Animal 3");
  // The page may hear of it only when the dialog is open already.
  await until(async () => (await dialog.getByLabel("Category").inputValue()) === "77");
  for (const name of ["Bella", "Luna"]) {
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText(`Saved ${name}.`).waitFor();
    await openAnimal(visitor, name);
    expect(await dialog.getByLabel("Name").inputValue()).toBe(name);
  }
});

test("a form is checked as it is filled in, by the server's rules, and adds the animal", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, signIn } = visitor;
  await signIn();
  const form = await openForm(visitor);
  expect(await form.name.evaluate((element) => element === document.activeElement)).toBe(true);
  await form.name.fill("   ");
  await form.dialog.getByText("Enter a name.").waitFor();
  expect(await form.name.getAttribute("aria-invalid")).toBe("true");
  await form.name.fill("🐕".repeat(255));
  expect(await form.name.getAttribute("aria-invalid")).toBe("false");
  await form.name.fill("🐕".repeat(256));
  await form.dialog.getByText("Use at most 255 characters; these are 256.").waitFor();
  await form.name.fill(" Rex ");
  await form.category.fill("seven");
  await form.dialog.getByText("No category has this name. Choose one, create it, or enter a number.").waitFor();
  await form.category.fill("9223372036854775808");
  await form.dialog.getByText("Enter a number from -9223372036854775808 to 9223372036854775807.").waitFor();
  await form.category.fill("-9223372036854775808");
  expect(await form.category.getAttribute("aria-invalid")).toBe("false");
  await form.dialog.getByLabel("Status").selectOption("sold");
  await form.add.click();
  await page.getByText("Added Rex as animal 4.").waitFor();
  await rowOf(page, "Rex").getByText("-9223372036854775808").waitFor();
  await rowOf(page, "Rex").getByText("sold").waitFor();
  await page.getByRole("button", { name: "Open it" }).click();
  await page.getByRole("dialog", { name: "Rex" }).getByText("Animal 4").waitFor();
});

test("an empty form names what is missing, and sends nothing", async () => {
  await using visitor = await visit({ animals: 3 });
  await visitor.signIn();
  const form = await openForm(visitor);
  await form.add.click();
  await form.dialog.getByText("Enter a name.").waitFor();
  await form.dialog.getByText("Choose a category, or enter a number.").waitFor();
  await visitor.page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid") === "true");
  expect(await form.name.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await animalsOf(visitor)).toHaveLength(3);
});

test("what only the server finds wrong stands at its field", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, signIn, expectedErrors } = visitor;
  expectedErrors.push(failedRequest(400));
  await signIn();
  // On its way something breaks the name, so that the real server complains about it.
  await intercept(page, "**/v1/pets", (route) => route.continue({ postData: '{"name": "", "categoryId": 1}' }));
  const form = await openForm(visitor);
  await form.name.fill("Rex");
  await form.category.fill("1");
  await form.add.click();
  await form.dialog.locator(".complaint", { hasText: "It must be" }).waitFor();
  expect(await form.name.getAttribute("aria-invalid")).toBe("true");
  await page.unroute("**/v1/pets");
  await form.name.fill("Max");
  await form.add.click();
  await page.getByText("Added Max as animal 4.").waitFor();
});

test("a double click adds one animal", async () => {
  await using visitor = await visit({ animals: 3 });
  await visitor.signIn();
  const form = await openForm(visitor);
  await form.name.fill("Rex");
  await form.category.fill("1");
  await form.add.dblclick();
  await visitor.page.getByText("Added Rex as animal 4.").waitFor();
  expect((await animalsOf(visitor)).filter(({ name }) => name === "Rex")).toHaveLength(1);
});

test("trying again after the connection was lost adds one animal, though the first try had arrived", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, signIn, expectedErrors } = visitor;
  expectedErrors.push(/ERR_FAILED/);
  await signIn();
  await intercept(page, "**/v1/pets", async (route) => {
    await route.fetch();
    await route.abort();
  });
  const form = await openForm(visitor);
  await form.name.fill("Rex");
  await form.category.fill("1");
  await form.add.click();
  await form.dialog.getByText("The store did not respond.").waitFor();
  expect(await form.name.inputValue()).toBe("Rex");
  await page.unroute("**/v1/pets");
  await form.dialog.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Added Rex as animal 4.").waitFor();
  expect((await animalsOf(visitor)).filter(({ name }) => name === "Rex")).toHaveLength(1);
});

test("a reload while something is added does not add it twice", async () => {
  await using visitor = await visit();
  const { page, service, signIn } = visitor;
  await signIn();
  /** The first of these requests arrives, but nobody hears of it. */
  const loseFirst = async (pattern: string) => {
    const { promise: arrival, resolve: arrive } = Promise.withResolvers<void>();
    let isFirst = true;
    await intercept(page, pattern, async (route) => {
      if (route.request().method() !== "POST" || !isFirst) return await route.continue();
      isFirst = false;
      await route.fetch();
      arrive();
    });
    return { arrival };
  };
  const form = await openForm(visitor);
  await form.name.fill(" Rex ");
  await form.category.fill("1");
  const added = await loseFirst("**/v1/pets");
  await form.add.click();
  await added.arrival;
  await page.reload();
  await form.dialog.getByText("What you typed is back.").waitFor();
  await form.add.click();
  await page.getByText("Added Rex as animal 1.").waitFor();
  expect(await animalsOf(visitor)).toHaveLength(1);

  await page.getByRole("link", { name: "Keys" }).click();
  const make = async () => {
    await page.getByRole("button", { name: "Create a key" }).click();
    if ((await page.getByLabel("Name").inputValue()) === "") await page.getByLabel("Name").fill("till");
    await page.getByRole("button", { name: "Create key" }).click();
  };
  const made = await loseFirst("**/v1/keys");
  await make();
  await made.arrival;
  await page.reload();
  await make();
  const key = await page.getByLabel("The key").inputValue();
  expect((await service.client.call("/v1/pets", { key })).status).toBe(200);
  expect((await service.client.call("/v1/keys")).json).toMatchObject([{ name: "till" }]);
});

test("a response that comes late closes nothing but what it is about, and opens nothing over something else", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, signIn } = visitor;
  await service.client.call("/v1/store/orders", { body: { petId: 3 } });
  await signIn();
  const [saving, adding, finding] = [1, 2, 3].map(() => Promise.withResolvers<void>()) as [Held, Held, Held];
  await intercept(page, "**/v1/store/orders?*", async (route) => {
    await finding.promise;
    await route.continue();
  });
  await intercept(page, "**/v1/pets/3", async (route) => {
    await saving.promise;
    await route.continue();
  });
  await intercept(page, "**/v1/pets", async (route) => {
    await adding.promise;
    await route.continue();
  });
  const saved = await openAnimal(visitor, "Animal 3");
  await saved.getByLabel("Name").fill("Rex");
  await saved.getByRole("button", { name: "Save" }).click();
  await page.goBack();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Animal 3", exact: true }).press("c");
  const opened = await openAnimal(visitor, "Animal 2");
  await opened.getByLabel("Name").fill("Bella");
  finding.resolve();
  saving.resolve();
  await page.getByText("Saved Rex.").waitFor();
  await page.keyboard.press("r");
  expect(await opened.getByLabel("Name").inputValue()).toBe("Bellar");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();
  await openAnimal(visitor, "Rex");
  expect(await page.getByText("What you typed is back.").count()).toBe(0);
  await page.keyboard.press("Escape");

  const form = await openForm(visitor);
  await form.name.fill("Max");
  await form.category.fill("1");
  await form.add.click();
  await page.goBack();
  await form.dialog.waitFor({ state: "detached" });
  await openForm(visitor);
  await form.name.fill("Luna");
  adding.resolve();
  await page.getByText("Added Max as animal 4.").waitFor();
  expect(await form.name.inputValue()).toBe("Luna");
  await page.reload();
  expect(await form.name.inputValue()).toBe("Luna");
});

test("keys that belong to an input method choose nothing and close nothing", async () => {
  await using visitor = await visit();
  await visitor.signIn();
  const isTaken = (field: Locator, key: string) =>
    field.evaluate((element, pressed) => {
      const options = { key: pressed, isComposing: true, bubbles: true, cancelable: true };
      return !element.dispatchEvent(new KeyboardEvent("keydown", options));
    }, key);
  const form = await openForm(visitor);
  await form.category.fill("龍");
  await form.dialog.getByRole("option", { name: "Create the category 龍", selected: true }).waitFor();
  await visitor.page.keyboard.press("Control+k");
  const palette = visitor.page.getByRole("combobox", { name: "Search or do anything" });
  for (const field of [form.category, form.name, palette]) {
    for (const key of ["ArrowDown", "Enter", "Escape"]) {
      expect([key, await isTaken(field, key)]).toEqual([key, false]);
    }
  }
});

test("an animal is changed, and only the statuses that can be next are offered", async () => {
  await using visitor = await visit({ animals: 5 });
  const { page, signIn } = visitor;
  await signIn();
  for (const [name, offered] of [
    ["Animal 3", ["available", "pending"]],
    ["Animal 1", ["pending", "available", "sold"]],
    ["Animal 2", ["sold", "available"]],
  ] as const) {
    const dialog = await openAnimal(visitor, name);
    expect(await dialog.getByLabel("Status").getByRole("option").allInnerTexts()).toEqual([...offered]);
    await page.keyboard.press("Escape");
  }
  const dialog = await openAnimal(visitor, "Animal 2");
  expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  await dialog.getByLabel("Name").fill("Bella");
  await dialog.getByLabel("Category").fill("12");
  await dialog.getByLabel("Status").selectOption("available");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved Bella.").waitFor();
  await rowOf(page, "Bella").getByText("available").waitFor();
  expect((await visitor.service.client.call("/v1/pets?id=2")).json).toEqual([
    { id: 2, name: "Bella", categoryId: 12, status: "available" },
  ]);
});

test("a change that somebody else made meanwhile is shown, and not overwritten unless the person wants it", async () => {
  await using visitor = await visit({ animals: 5 });
  const { page, service, signIn, expectedErrors } = visitor;
  expectedErrors.push(failedRequest(412));
  await signIn();
  const rename = (name: string) => service.client.call("/v1/pets/3", { method: "PATCH", body: { name } });
  const nameNow = async () => (await animalsOf(visitor))[2]?.name;
  for (const [choice, result] of [
    ["Discard my changes", "Theirs"],
    ["Keep my changes", "Mine"],
  ] as const) {
    await rename("Animal 3");
    await page.reload();
    const dialog = await openAnimal(visitor, "Animal 3");
    await dialog.getByLabel("Name").fill("x".repeat(80));
    await rename("Theirs");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Somebody else has changed this animal").waitFor();
    // Where the focus was, nothing can be pressed now.
    await page.waitForFunction(() => document.activeElement?.matches("[role=alert]"));
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const { gap, overflow } = await shapeOf(dialog.getByRole("alert"));
      expect(gap).toBeLessThan(24);
      expect(overflow).toBe(0);
    }
    await dialog.getByLabel("Name").fill("Mine");
    await dialog.getByRole("cell", { name: "Theirs" }).waitFor();
    await dialog.getByRole("cell", { name: "Mine" }).waitFor();
    expect(await nameNow()).toBe("Theirs");
    if (result === "Mine") {
      // Somebody is faster once more.
      await rename("Theirs again");
      await dialog.getByRole("button", { name: choice }).click();
      await dialog.getByRole("cell", { name: "Theirs again" }).waitFor();
      await page.waitForFunction(() => document.activeElement?.matches("[role=alert]"));
      expect(await nameNow()).toBe("Theirs again");
    }
    await dialog.getByRole("button", { name: choice }).click();
    if (result === "Mine") await page.getByText("Saved Mine.").waitFor();
    expect(await nameNow()).toBe(result);
    if (result === "Theirs") {
      await until(async () => (await dialog.getByLabel("Name").inputValue()) === "Theirs");
      await page.keyboard.press("Escape");
    }
  }
});

test("keeping one's own change does not undo somebody else's change of another field", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, signIn, expectedErrors } = visitor;
  expectedErrors.push(failedRequest(412));
  await signIn();
  const dialog = await openAnimal(visitor, "Animal 3");
  await dialog.getByLabel("Name").fill("Mine");
  await service.client.call("/v1/pets/3", { method: "PATCH", body: { categoryId: 77 } });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("row", { name: "Category 77 77" }).waitFor();
  await dialog.getByRole("row", { name: "Name Animal 3 Mine" }).waitFor();
  await dialog.getByRole("button", { name: "Keep my changes" }).click();
  await page.getByText("Saved Mine.").waitFor();
  const { json } = await service.client.call("/v1/pets?id=3");
  expect(json).toEqual([{ id: 3, name: "Mine", categoryId: 77, status: "available" }]);
});

test("an open animal is shown as others change it, and what was typed before that is not saved over it unasked", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, url, signIn } = visitor;
  const rename = (name: string) => service.client.call("/v1/pets/3", { method: "PATCH", body: { name } });
  await service.client.call("/v1/store/orders", { body: { petId: 3 } });
  await signIn();
  const dialog = await openAnimal(visitor, "Animal 3");
  const name = dialog.getByLabel("Name");
  await dialog.getByRole("button", { name: "Complete order 1" }).waitFor();
  await service.client.call("/v1/store/orders/1/cancel", { method: "POST" });
  await dialog.getByRole("button", { name: "Reserve" }).waitFor();
  expect(await dialog.getByLabel("Status").getByRole("option").allInnerTexts()).toEqual(["available", "pending"]);
  expect(await dialog.getByRole("button", { name: "Delete" }).isEnabled()).toBe(true);
  await rename("Bella");
  await until(async () => (await name.inputValue()) === "Bella");
  expect(await name.evaluate((element) => element === document.activeElement)).toBe(true);

  await name.fill("Mine");
  await page.goto(`${url}/overview`);
  await rename("Theirs");
  await page.goto(`${url}/animals?animal=3`);
  await dialog.getByText("Somebody else has changed this animal").waitFor();
  await page.reload();
  await dialog.getByRole("row", { name: "Name Theirs Mine" }).waitFor();
  await page.waitForFunction(() => document.activeElement?.matches("[role=alert]"));
  await dialog.getByRole("button", { name: "Keep my changes" }).click();
  await page.getByText("Saved Mine.").waitFor();
  expect((await animalsOf(visitor))[2]?.name).toBe("Mine");
});

test("what was typed is not lost by Escape, however often, by reserving, or by a deletion that was not meant", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, signIn } = visitor;
  await signIn();
  const dialog = await openAnimal(visitor, "Animal 3");
  await dialog.getByLabel("Name").fill("Mine");
  expect(await dialog.getByRole("button", { name: "Reserve" }).isDisabled()).toBe(true);
  await dialog.getByText("Save your changes first.").waitFor();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Delete this animal?" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Delete this animal?" }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "Discard your changes?" });
  await question.getByRole("button", { name: "Go on" }).click();
  expect(await dialog.getByLabel("Name").inputValue()).toBe("Mine");
  for (let turn = 0; turn < 9; turn++) {
    await page.keyboard.press("Escape");
    await question.waitFor({ state: turn % 2 === 0 ? "visible" : "detached" });
    expect(await dialog.getByLabel("Name").isVisible()).toBe(true);
  }
  await question.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").first().waitFor({ state: "detached" });
  expect((await animalsOf(visitor))[2]?.name).toBe("Animal 3");
});

test("an animal that was deleted while it was open is told to be gone, and what was typed becomes a new one", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, signIn } = visitor;
  await signIn();
  const dialog = await openAnimal(visitor, "Animal 3");
  await dialog.getByLabel("Name").fill("Mine");
  await service.client.call("/v1/pets/3", { method: "DELETE" });
  await dialog.getByText("No animal has the number 3.", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Add it as a new animal" }).click();
  await page.getByRole("dialog", { name: "Add an animal" }).getByText("What you typed is back.").waitFor();
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("Added Mine as animal 4.").waitFor();
});

test("an animal is deleted, after being asked once more, and not as somebody else has changed it meanwhile", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, signIn, expectedErrors } = visitor;
  expectedErrors.push(failedRequest(412));
  await signIn();
  const dialog = await openAnimal(visitor, "Animal 2");
  await dialog.getByRole("button", { name: "Delete" }).click();
  const question = page.getByRole("dialog", { name: "Delete this animal?" });
  await question.getByRole("button", { name: "Keep it" }).click();
  expect(await animalsOf(visitor)).toHaveLength(3);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await service.client.call("/v1/pets/2", { method: "PATCH", body: { categoryId: 77 } });
  await question.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("row", { name: "Category 77" }).waitFor();
  expect(await animalsOf(visitor)).toHaveLength(3);
  await page.waitForFunction(() => document.activeElement?.matches("[role=alert]"));
  // Nothing was typed that could be kept.
  expect(await dialog.getByRole("button", { name: "Keep my changes" }).count()).toBe(0);
  await dialog.getByRole("button", { name: "Go on" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await question.getByRole("button", { name: "Delete" }).click();
  await page.getByText("Deleted Animal 2.").waitFor();
  await rowOf(page, "Animal 2").waitFor({ state: "detached" });
  expect((await animalsOf(visitor)).map(({ id }) => id)).toEqual([1, 3]);
});

test("an animal is reserved, and its order completed or cancelled", async () => {
  await using visitor = await visit({ animals: 6 });
  const { page, signIn } = visitor;
  await signIn();
  await (await openAnimal(visitor, "Animal 3")).getByRole("button", { name: "Reserve" }).click();
  await page.getByText("Reserved Animal 3 by order 1.").waitFor();
  await rowOf(page, "Animal 3").getByText("pending").waitFor();
  let dialog = await openAnimal(visitor, "Animal 3");
  await dialog.getByText("Order 1 controls it.").waitFor();
  expect(await dialog.getByLabel("Status").isDisabled()).toBe(true);
  const remove = dialog.getByRole("button", { name: "Delete", description: "Complete or cancel order 1 first." });
  expect(await remove.isDisabled()).toBe(true);
  await dialog.getByText("Complete or cancel order 1 first.").waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Cancel order 1" }).click();
  await page.getByRole("button", { name: "Cancel it" }).click();
  await page.getByText("Order 1 is cancelled.").waitFor();
  await rowOf(page, "Animal 3").getByText("available").waitFor();
  await (await openAnimal(visitor, "Animal 6")).getByRole("button", { name: "Reserve" }).click();
  await page.getByText("Reserved Animal 6 by order 2.").waitFor();
  dialog = await openAnimal(visitor, "Animal 6");
  await dialog.getByRole("button", { name: "Complete order 2" }).click();
  await page.getByRole("button", { name: "Complete it" }).click();
  await page.getByText("Order 2 is completed.").waitFor();
  await rowOf(page, "Animal 6").getByText("sold").waitFor();
});

test("an animal that somebody else has just reserved is not reserved again, and the person is told", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, signIn, expectedErrors } = visitor;
  expectedErrors.push(failedRequest(409));
  await signIn();
  const dialog = await openAnimal(visitor, "Animal 3");
  // At the last moment, because the page soon hears of it, and offers something else.
  await intercept(page, "**/v1/store/orders", async (route) => {
    await service.client.call("/v1/store/orders", { body: { petId: 3 } });
    await route.continue();
  });
  await dialog.getByRole("button", { name: "Reserve" }).click();
  await dialog.getByText("Animal 3 cannot be ordered because it is pending.").waitFor();
  await page.unroute("**/v1/store/orders");
  // Once it is free again, the same button reserves it.
  await service.client.call("/v1/store/orders/1/cancel", { method: "POST" });
  await dialog.getByRole("button", { name: "Reserve" }).click();
  await page.getByText("Reserved Animal 3 by order 2.").waitFor();
});

test("animals can still be looked at and changed once getPet is gone, and conflicts are still noticed", async () => {
  await using visitor = await visit({ animals: 3, parts: { clock: () => Date.parse("2031-01-01") } });
  const { page, service, signIn, expectedErrors } = visitor;
  expectedErrors.push(failedRequest(412));
  await signIn();
  const dialog = await openAnimal(visitor, "Animal 3");
  await dialog.getByLabel("Name").fill("Mine");
  await service.client.call("/v1/pets/3", { method: "PATCH", body: { name: "Theirs" } });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Somebody else has changed this animal").waitFor();
  await dialog.getByRole("button", { name: "Keep my changes" }).click();
  await page.getByText("Saved Mine.").waitFor();
  expect((await animalsOf(visitor))[2]?.name).toBe("Mine");
});
