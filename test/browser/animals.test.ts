import { expect } from "bun:test";
import type { Locator } from "playwright-core";
import {
  enterConsole,
  failedRequestPattern,
  findAxeViolations,
  holdRequests,
  intercept,
  rowOf,
  step,
  test,
  type Visit,
  visit,
} from "../support/browser.ts";
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

/** Measures the gap between the text and the table of a notice, and how far the content overflows horizontally. */
const measureNotice = (notice: Locator) =>
  notice.evaluate((element) => {
    const text = document.createRange();
    text.selectNodeContents(element.querySelector("p") ?? element);
    const table = element.querySelector("table");
    return {
      gap: (table?.getBoundingClientRect().top ?? Number.NaN) - text.getBoundingClientRect().bottom,
      overflow: element.scrollWidth - element.clientWidth,
    };
  });

const isFocused = (element: Locator) => element.evaluate((each) => each === document.activeElement);

const readAnimals = async ({ service }: Visit) =>
  (await service.client.call("/v1/pets?limit=100")).json as {
    id: number;
    name: string;
    categoryId: number;
    status: string;
  }[];

test("an empty catalogue shows the first animal that a colleague adds, and can be filled with sample animals", async () => {
  await using visitor = await enterConsole();
  const { page, service, withExpectedErrors } = visitor;
  const untilEmpty = async () => {
    await page.getByText("No animals yet").waitFor();
    expect(await readAnimals(visitor)).toEqual([]);
  };
  const makeEmpty = async () => {
    for (const { id } of await readAnimals(visitor)) await service.client.call(`/v1/pets/${id}`, { method: "DELETE" });
    const { json } = await service.client.call("/v1/categories?limit=100");
    for (const { id } of json as { id: number }[]) {
      await service.client.call(`/v1/categories/${id}`, { method: "DELETE" });
    }
    await untilEmpty();
  };
  await untilEmpty();

  await step("a key press that an input method handles neither chooses an option nor closes a dialog", async () => {
    const isHandled = (field: Locator, key: string) =>
      field.evaluate((element, pressed) => {
        const options = { key: pressed, isComposing: true, bubbles: true, cancelable: true };
        return !element.dispatchEvent(new KeyboardEvent("keydown", options));
      }, key);
    const form = await openForm(visitor);
    await form.category.fill("龍");
    await form.dialog.getByRole("option", { name: "Create the category 龍", selected: true }).waitFor();
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("combobox", { name: "Search or do anything" });
    for (const field of [form.category, form.name, palette]) {
      for (const key of ["ArrowDown", "Enter", "Escape"]) {
        expect([key, await isHandled(field, key)]).toEqual([key, false]);
      }
    }
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
    await form.dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard" }).click();
    await form.dialog.waitFor({ state: "detached" });
  });

  await step("the first animal that a colleague adds is shown", async () => {
    await service.client.call("/v1/pets", { body: { name: "Luna", categoryId: 1 } });
    await rowOf(page, "Luna").waitFor();
    await makeEmpty();
  });

  await step(
    "an interrupted load of sample animals is reported, and a retry adds only the missing animals",
    withExpectedErrors([/ERR_FAILED/, failedRequestPattern(412)], async () => {
      let postCount = 0;
      await intercept(page, "**/v1/pets", async (route) => {
        if (route.request().method() !== "POST" || ++postCount < 6) return await route.continue();
        await route.fetch();
        await route.abort();
      });
      await page.getByRole("button", { name: "Load sample animals" }).click();
      await page.getByRole("alert").getByText("The store did not respond.").waitFor();
      expect(await readAnimals(visitor)).toHaveLength(6);
      await page.unroute("**/v1/pets");
      // During the retry, requests to name the categories fail with 412, because the categories already have names.
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("Added 20 sample animals.").waitFor();
      expect(await readAnimals(visitor)).toHaveLength(20);
      await page.getByRole("button", { name: "Dismiss" }).click();
      await makeEmpty();
    }),
  );

  await step("loading sample animals also names their categories", async () => {
    await page.getByRole("button", { name: "Load sample animals" }).click();
    await page.getByText("Added 20 sample animals.").waitFor();
    await rowOf(page, "Rex").getByText("Dogs").waitFor();
    expect(await readAnimals(visitor)).toHaveLength(20);
  });
});

test("the form for a new animal validates input while the user types, and adds each animal only once", async () => {
  await using visitor = await enterConsole({ animals: 3 });
  const { page, expectedErrors } = visitor;
  const countAnimals = async (name: string) => (await readAnimals(visitor)).filter((each) => each.name === name).length;

  await step("submitting an empty form shows which fields are missing and sends nothing", async () => {
    const form = await openForm(visitor);
    expect(await isFocused(form.name)).toBe(true);
    await form.category.focus();
    await form.add.click();
    await form.dialog.getByText("Enter a name.").waitFor();
    await form.dialog.getByText("Choose a category, or enter a number.").waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid") === "true");
    expect(await isFocused(form.name)).toBe(true);
    expect(await readAnimals(visitor)).toHaveLength(3);
    await page.keyboard.press("Escape");
    await form.dialog.waitFor({ state: "detached" });
  });

  await step("the form applies the same validation rules as the server", async () => {
    const form = await openForm(visitor);
    await form.name.fill("   ");
    await form.dialog.getByText("Enter a name.").waitFor();
    expect(await form.name.getAttribute("aria-invalid")).toBe("true");
    await form.name.fill("🐕".repeat(255));
    expect(await form.name.getAttribute("aria-invalid")).toBe("false");
    await form.name.fill("🐕".repeat(256));
    await form.dialog.getByText("Use at most 255 characters; this has 256.").waitFor();
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
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  await step("a validation error from the server is shown at the invalid field", async () => {
    expectedErrors.push(failedRequestPattern(400));
    // Corrupts the name in transit, so that the real server rejects it.
    await intercept(page, "**/v1/pets", (route) => route.continue({ postData: '{"name": "", "categoryId": 1}' }));
    const form = await openForm(visitor);
    await form.name.fill("Luna");
    await form.category.fill("1");
    await form.add.click();
    await form.dialog.locator(".complaint", { hasText: "It must be" }).waitFor();
    expect(await form.name.getAttribute("aria-invalid")).toBe("true");
    await page.unroute("**/v1/pets");
    await form.name.fill("Max");
    await form.add.click();
    await page.getByText("Added Max as animal 5.").waitFor();
  });

  await step("a double click adds one animal", async () => {
    const form = await openForm(visitor);
    await form.name.fill("Bella");
    await form.category.fill("1");
    await form.add.dblclick();
    await page.getByText("Added Bella as animal 6.").waitFor();
    expect(await countAnimals("Bella")).toBe(1);
  });

  await step("a retry after a lost response adds no second animal", async () => {
    expectedErrors.push(/ERR_FAILED/);
    await intercept(page, "**/v1/pets", async (route) => {
      await route.fetch();
      await route.abort();
    });
    const form = await openForm(visitor);
    await form.name.fill("Coco");
    await form.category.fill("1");
    await form.add.click();
    await form.dialog.getByText("The store did not respond.").waitFor();
    expect(await form.name.inputValue()).toBe("Coco");
    await page.unroute("**/v1/pets");
    await form.dialog.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Added Coco as animal 7.").waitFor();
    expect(await countAnimals("Coco")).toBe(1);
  });
});

test("an animal can be changed, reserved and sold, and the form keeps unsaved edits", async () => {
  await using visitor = await enterConsole({ animals: 24 });
  const { page, service } = visitor;

  await step("a reopened animal shows its current values and can be changed again", async () => {
    await openAnimal(visitor, "Animal 24");
    await page.keyboard.press("Escape");
    await service.client.call("/v1/pets/24", { method: "PATCH", body: { categoryId: 77 } });
    const dialog = await openAnimal(visitor, "Animal 24");
    // Waits, because the event about the change may arrive only after the dialog has opened.
    await until(async () => (await dialog.getByLabel("Category").inputValue()) === "77");
    for (const name of ["Bella", "Luna"]) {
      await dialog.getByLabel("Name").fill(name);
      await dialog.getByRole("button", { name: "Save" }).click();
      await page.getByText(`Saved ${name}.`).waitFor();
      await openAnimal(visitor, name);
      expect(await dialog.getByLabel("Name").inputValue()).toBe(name);
    }
    await page.keyboard.press("Escape");
  });

  await step("the form offers only the status changes that the store allows, and saves the chosen status", async () => {
    for (const [name, offered] of [
      ["Animal 21", ["available", "pending"]],
      ["Animal 22", ["pending", "available", "sold"]],
      ["Animal 23", ["sold", "available"]],
    ] as const) {
      const dialog = await openAnimal(visitor, name);
      expect(await dialog.getByLabel("Status").getByRole("option").allInnerTexts()).toEqual([...offered]);
      await page.keyboard.press("Escape");
    }
    const dialog = await openAnimal(visitor, "Animal 23");
    expect(await dialog.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Name").fill("Daisy");
    await dialog.getByLabel("Category").fill("12");
    await dialog.getByLabel("Status").selectOption("available");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved Daisy.").waitFor();
    await rowOf(page, "Daisy").getByText("available").waitFor();
    expect((await service.client.call("/v1/pets?id=23")).json).toEqual([
      { id: 23, name: "Daisy", categoryId: 12, status: "available" },
    ]);
  });

  await step("unsaved edits survive repeated Escape keys, a reservation, and a cancelled deletion", async () => {
    const dialog = await openAnimal(visitor, "Animal 18");
    await dialog.getByLabel("Name").fill("Mine");
    expect(await dialog.getByRole("button", { name: "Reserve" }).isDisabled()).toBe(true);
    await dialog.getByText("Save your changes first.").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog", { name: "Delete this animal?" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Delete this animal?" }).waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    const question = page.getByRole("dialog", { name: "Discard your changes?" });
    await question.getByRole("button", { name: "Keep editing" }).click();
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Mine");
    for (let press = 0; press < 9; press++) {
      await page.keyboard.press("Escape");
      await question.waitFor({ state: press % 2 === 0 ? "visible" : "detached" });
      expect(await dialog.getByLabel("Name").isVisible()).toBe(true);
    }
    await question.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("dialog").first().waitFor({ state: "detached" });
    expect((await service.client.call("/v1/pets?id=18")).json).toMatchObject([{ name: "Animal 18" }]);
  });

  await step("an animal is reserved, and its order is completed or cancelled", async () => {
    await (await openAnimal(visitor, "Animal 15")).getByRole("button", { name: "Reserve" }).click();
    await page.getByText("Reserved Animal 15 with order 1.").waitFor();
    await rowOf(page, "Animal 15").getByText("pending").waitFor();
    let dialog = await openAnimal(visitor, "Animal 15");
    await dialog.getByText("Order 1 controls the status.").waitFor();
    expect(await dialog.getByLabel("Status").isDisabled()).toBe(true);
    const remove = dialog.getByRole("button", { name: "Delete", description: "Complete or cancel order 1 first." });
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByText("Complete or cancel order 1 first.").waitFor();
    expect(await findAxeViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Cancel order 1" }).click();
    await page.getByRole("button", { name: "Cancel it" }).click();
    await page.getByText("Order 1 is cancelled.").waitFor();
    await rowOf(page, "Animal 15").getByText("available").waitFor();
    await (await openAnimal(visitor, "Animal 12")).getByRole("button", { name: "Reserve" }).click();
    await page.getByText("Reserved Animal 12 with order 2.").waitFor();
    dialog = await openAnimal(visitor, "Animal 12");
    await dialog.getByRole("button", { name: "Complete order 2" }).click();
    await page.getByRole("button", { name: "Complete it" }).click();
    await page.getByText("Order 2 is completed.").waitFor();
    await rowOf(page, "Animal 12").getByText("sold").waitFor();
  });

  await step(
    "an open animal that another user deletes is reported as gone, and the edits can become a new animal",
    async () => {
      const dialog = await openAnimal(visitor, "Animal 9");
      await dialog.getByLabel("Name").fill("Otto");
      await service.client.call("/v1/pets/9", { method: "DELETE" });
      await dialog.getByText("No animal has the number 9.", { exact: true }).waitFor();
      await dialog.getByRole("button", { name: "Add it as a new animal" }).click();
      await page.getByRole("dialog", { name: "Add an animal" }).getByText("What you typed was restored.").waitFor();
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("Added Otto as animal 25.").waitFor();
    },
  );
});

test("the form of an animal shows changes by other users, and overwrites no change without confirmation", async () => {
  await using visitor = await enterConsole({ animals: 24 });
  const { page, service, url, withExpectedErrors } = visitor;
  const change = (id: number, body: object) => service.client.call(`/v1/pets/${id}`, { method: "PATCH", body });
  const currentAnimal = async (id: number) => (await readAnimals(visitor)).find((each) => each.id === id);
  const untilAlertHasFocus = () => page.waitForFunction(() => document.activeElement?.matches("[role=alert]"));

  await step(
    "another user's change of the same field is shown, and overwritten only after confirmation",
    withExpectedErrors([failedRequestPattern(412)], async () => {
      for (const [id, choice, result] of [
        [24, "Discard my changes", "Theirs"],
        [23, "Keep my changes", "Mine"],
      ] as const) {
        const dialog = await openAnimal(visitor, `Animal ${id}`);
        await dialog.getByLabel("Name").fill("x".repeat(80));
        await change(id, { name: "Theirs" });
        await dialog.getByRole("button", { name: "Save" }).click();
        await dialog.getByText("Somebody else has changed this animal").waitFor();
        await untilAlertHasFocus();
        for (const width of [390, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          const { gap, overflow } = await measureNotice(dialog.getByRole("alert"));
          expect(gap).toBeLessThan(24);
          expect(overflow).toBe(0);
        }
        await dialog.getByLabel("Name").fill("Mine");
        await dialog.getByRole("cell", { name: "Theirs" }).waitFor();
        await dialog.getByRole("cell", { name: "Mine" }).waitFor();
        expect((await currentAnimal(id))?.name).toBe("Theirs");
        if (result === "Mine") {
          // Another user changes the animal again while the first conflict is shown.
          await change(id, { name: "Theirs again" });
          await dialog.getByRole("button", { name: choice }).click();
          await dialog.getByRole("cell", { name: "Theirs again" }).waitFor();
          await untilAlertHasFocus();
          expect((await currentAnimal(id))?.name).toBe("Theirs again");
        }
        await dialog.getByRole("button", { name: choice }).click();
        if (result === "Mine") await page.getByText("Saved Mine.").waitFor();
        expect((await currentAnimal(id))?.name).toBe(result);
        if (result === "Theirs") {
          await until(async () => (await dialog.getByLabel("Name").inputValue()) === "Theirs");
          await page.keyboard.press("Escape");
        }
      }
    }),
  );

  await step(
    "saving a field keeps another user's change of a different field",
    withExpectedErrors([failedRequestPattern(412)], async () => {
      const dialog = await openAnimal(visitor, "Animal 21");
      await dialog.getByLabel("Name").fill("Luna");
      await change(21, { categoryId: 77 });
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByRole("row", { name: "Category 77 77" }).waitFor();
      await dialog.getByRole("row", { name: "Name Animal 21 Luna" }).waitFor();
      await dialog.getByRole("button", { name: "Keep my changes" }).click();
      await page.getByText("Saved Luna.").waitFor();
      expect(await currentAnimal(21)).toMatchObject({ name: "Luna", categoryId: 77, status: "available" });
    }),
  );

  await step(
    "an animal is deleted only after confirmation, and not if another user has changed it meanwhile",
    withExpectedErrors([failedRequestPattern(412)], async () => {
      const dialog = await openAnimal(visitor, "Animal 20");
      await dialog.getByRole("button", { name: "Delete" }).click();
      const question = page.getByRole("dialog", { name: "Delete this animal?" });
      await question.getByRole("button", { name: "Keep it" }).click();
      expect(await currentAnimal(20)).toBeDefined();
      await dialog.getByRole("button", { name: "Delete" }).click();
      await change(20, { categoryId: 77 });
      await question.getByRole("button", { name: "Delete" }).click();
      await dialog.getByRole("row", { name: "Category 77" }).waitFor();
      expect(await currentAnimal(20)).toBeDefined();
      await untilAlertHasFocus();
      expect(await dialog.getByRole("button", { name: "Keep my changes" }).count()).toBe(0);
      await dialog.getByRole("button", { name: "Continue" }).click();
      await dialog.getByRole("button", { name: "Delete" }).click();
      await question.getByRole("button", { name: "Delete" }).click();
      await page.getByText("Deleted Animal 20.").waitFor();
      await rowOf(page, "Animal 20").waitFor({ state: "detached" });
      const remainingIds = Array.from({ length: 24 }, (_, index) => index + 1).filter((id) => id !== 20);
      expect((await readAnimals(visitor)).map(({ id }) => id)).toEqual(remainingIds);
    }),
  );

  await step(
    "an animal that another user has just reserved is not reserved again, and the user is informed",
    withExpectedErrors([failedRequestPattern(409)], async () => {
      const dialog = await openAnimal(visitor, "Animal 18");
      // Another user reserves the animal just before the request arrives. An earlier reservation would remove the button.
      await intercept(page, "**/v1/store/orders", async (route) => {
        await service.client.call("/v1/store/orders", { body: { petId: 18 } });
        await route.continue();
      });
      await dialog.getByRole("button", { name: "Reserve" }).click();
      await dialog.getByText("Animal 18 cannot be ordered because it is pending.").waitFor();
      await page.unroute("**/v1/store/orders");
      // When the animal is available again, the same button reserves it.
      await service.client.call("/v1/store/orders/1/cancel", { method: "POST" });
      await dialog.getByRole("button", { name: "Reserve" }).click();
      await page.getByText("Reserved Animal 18 with order 2.").waitFor();
    }),
  );

  await step(
    "an open animal shows changes by others, and restored edits overwrite such changes only after confirmation",
    async () => {
      await service.client.call("/v1/store/orders", { body: { petId: 15 } });
      const dialog = await openAnimal(visitor, "Animal 15");
      const name = dialog.getByLabel("Name");
      await dialog.getByRole("button", { name: "Complete order 3" }).waitFor();
      await service.client.call("/v1/store/orders/3/cancel", { method: "POST" });
      await dialog.getByRole("button", { name: "Reserve" }).waitFor();
      expect(await dialog.getByLabel("Status").getByRole("option").allInnerTexts()).toEqual(["available", "pending"]);
      expect(await dialog.getByRole("button", { name: "Delete" }).isEnabled()).toBe(true);
      await change(15, { name: "Bella" });
      await until(async () => (await name.inputValue()) === "Bella");
      expect(await isFocused(name)).toBe(true);

      await name.fill("Coco");
      await page.goto(`${url}/overview`);
      await change(15, { name: "Rex" });
      await page.goto(`${url}/animals?animal=15`);
      await dialog.getByText("Somebody else has changed this animal").waitFor();
      await page.reload();
      await dialog.getByRole("row", { name: "Name Rex Coco" }).waitFor();
      await untilAlertHasFocus();
      await dialog.getByRole("button", { name: "Keep my changes" }).click();
      await page.getByText("Saved Coco.").waitFor();
      expect((await currentAnimal(15))?.name).toBe("Coco");
    },
  );
});

test("resubmitting a form after a reload during the request creates no second animal and no second key", async () => {
  await using visitor = await enterConsole();
  const { page, service } = visitor;
  /** Sends the first POST to the service, but discards the response. `arrival` resolves when the service responds. */
  const loseFirstResponse = async (pattern: string) => {
    const arrival = Promise.withResolvers<void>();
    let isFirst = true;
    await intercept(page, pattern, async (route) => {
      if (route.request().method() !== "POST" || !isFirst) return await route.continue();
      isFirst = false;
      await route.fetch();
      arrival.resolve();
    });
    // Returns the promise in an object: otherwise, awaiting this function would also await the promise.
    return { arrival: arrival.promise };
  };
  const form = await openForm(visitor);
  await form.name.fill(" Rex ");
  await form.category.fill("1");
  const { arrival: petArrival } = await loseFirstResponse("**/v1/pets");
  await form.add.click();
  await petArrival;
  await page.reload();
  await form.dialog.getByText("What you typed was restored.").waitFor();
  await form.add.click();
  await page.getByText("Added Rex as animal 1.").waitFor();
  expect(await readAnimals(visitor)).toHaveLength(1);

  await page.getByRole("link", { name: "Keys" }).click();
  const createKey = async () => {
    await page.getByRole("button", { name: "Create a key" }).click();
    if ((await page.getByLabel("Name").inputValue()) === "") await page.getByLabel("Name").fill("till");
    await page.getByRole("button", { name: "Create key" }).click();
  };
  const { arrival: keyArrival } = await loseFirstResponse("**/v1/keys");
  await createKey();
  await keyArrival;
  await page.reload();
  await createKey();
  const key = await page.getByLabel("The key").inputValue();
  expect((await service.client.call("/v1/pets", { key })).status).toBe(200);
  expect((await service.client.call("/v1/keys")).json).toMatchObject([{ name: "till" }]);
});

test("a late response closes only the dialog that sent the request, and opens nothing over another dialog", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, enter } = visitor;
  await service.client.call("/v1/store/orders", { body: { petId: 3 } });
  await enter();
  const releaseSearch = await holdRequests(page, "**/v1/store/orders?*");
  const releaseSave = await holdRequests(page, "**/v1/pets/3");
  const releaseAdd = await holdRequests(page, "**/v1/pets");
  const saved = await openAnimal(visitor, "Animal 3");
  await saved.getByLabel("Name").fill("Rex");
  await saved.getByRole("button", { name: "Save" }).click();
  await page.goBack();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Animal 3", exact: true }).press("c");
  const opened = await openAnimal(visitor, "Animal 2");
  await opened.getByLabel("Name").fill("Bella");
  releaseSearch();
  releaseSave();
  await page.getByText("Saved Rex.").waitFor();
  await page.keyboard.press("r");
  expect(await opened.getByLabel("Name").inputValue()).toBe("Bellar");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();
  await openAnimal(visitor, "Rex");
  expect(await page.getByText("What you typed was restored.").count()).toBe(0);
  await page.keyboard.press("Escape");

  const form = await openForm(visitor);
  await form.name.fill("Max");
  await form.category.fill("1");
  await form.add.click();
  await page.goBack();
  await form.dialog.waitFor({ state: "detached" });
  await openForm(visitor);
  await form.name.fill("Luna");
  releaseAdd();
  await page.getByText("Added Max as animal 4.").waitFor();
  expect(await form.name.inputValue()).toBe("Luna");
  await page.reload();
  expect(await form.name.inputValue()).toBe("Luna");
});

test("after the removal of getPet, the console still opens and changes animals, and still detects conflicts", async () => {
  await using visitor = await visit({ animals: 3, parts: { clock: () => Date.parse("2031-01-01") } });
  const { page, service, enter, expectedErrors } = visitor;
  expectedErrors.push(failedRequestPattern(412));
  await enter();
  const dialog = await openAnimal(visitor, "Animal 3");
  await dialog.getByLabel("Name").fill("Mine");
  await service.client.call("/v1/pets/3", { method: "PATCH", body: { name: "Theirs" } });
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Somebody else has changed this animal").waitFor();
  await dialog.getByRole("button", { name: "Keep my changes" }).click();
  await page.getByText("Saved Mine.").waitFor();
  expect((await readAnimals(visitor))[2]?.name).toBe("Mine");
});
