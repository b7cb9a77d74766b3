import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { enterConsole, findAxeViolations, holdRequests, test, type Visit, visit } from "../support/browser.ts";
import { addKey } from "../support/keys.ts";

const permissions = ["clipboard-read", "clipboard-write"];

async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press("Control+v");
}

/** Fills the clipboard as a spreadsheet does: with the text of the cells, an HTML table, and a picture. */
async function copyCells(page: Page, text: string): Promise<void> {
  await page.evaluate(async (cells) => {
    const canvas = document.createElement("canvas");
    const picture = new Promise<Blob>((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject())));
    const html = `<table>${cells.replaceAll(/.+/g, (row) => `<tr><td>${row.replaceAll("\t", "<td>")}</td></tr>`)}</table>`;
    const item = new ClipboardItem({ "text/plain": cells, "text/html": html, "image/png": picture });
    await navigator.clipboard.write([item]);
  }, text);
}

/** Dispatches a paste event with files, because a headless browser cannot put files on its clipboard. */
async function pasteFiles(page: Page, files: { name: string; type: string; text: string }[], text = ""): Promise<void> {
  await page.evaluate(
    ({ files, text }) => {
      const clipboardData = new DataTransfer();
      for (const file of files) clipboardData.items.add(new File([file.text], file.name, { type: file.type }));
      if (text) clipboardData.setData("text/plain", text);
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      (document.activeElement ?? document.body).dispatchEvent(event);
    },
    { files, text },
  );
}

const importDialog = (page: Page) => page.getByRole("dialog", { name: "Import animals" });

const waitForFocus = async (element: Locator) => await element.and(element.page().locator(":focus-visible")).waitFor();

async function readPets({ service }: Visit): Promise<(readonly [string, number, string])[]> {
  const { json } = await service.client.call("/v1/pets?limit=100");
  const pets = json as unknown as readonly { name: string; categoryId: number; status: string }[];
  return pets.map(({ name, categoryId, status }) => [name, categoryId, status]);
}

test("rows copied from a spreadsheet can be added as animals with two key presses", async () => {
  await using visitor = await visit({ permissions });
  const { page, service, enter } = visitor;
  await service.client.call("/v1/categories/7", { method: "PUT", body: { name: "Dogs" } });
  await enter();
  await page.getByText("No animals yet").waitFor();
  // Spreadsheets separate cells by tabs, and leave quotation marks unescaped.
  await copyCells(page, 'Rex, the "Great", of Rome\tDogs\nMia\t9\n"Zoë" 小鸟\tdogs\n');
  await page.keyboard.press("Control+v");
  const dialog = importDialog(page);
  await waitForFocus(dialog.getByRole("button", { name: "Add 3 animals" }));
  await dialog.getByText("Pasted list").waitFor();
  await dialog.getByText("All lines").waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
  expect(await readPets(visitor)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Added 3 animals.").waitFor();
  await dialog.waitFor({ state: "detached" });
  expect(await readPets(visitor)).toEqual([
    ['Rex, the "Great", of Rome', 7, "available"],
    ["Mia", 9, "available"],
    ['"Zoë" 小鸟', 7, "available"],
  ]);
});

test("lines of text or CSV can be pasted, and the preview focuses the control that the user needs next", async () => {
  await using visitor = await enterConsole({ permissions, viewport: { width: 360, height: 740 }, colorScheme: "dark" });
  const { page } = visitor;
  await page.getByText("No animals yet").waitFor();
  const dialog = importDialog(page);
  const add = (count: string) => dialog.getByRole("button", { name: `Add ${count}` });

  await paste(page, "Rex, Dogs\nMia, Cats");
  await waitForFocus(add("2 animals"));
  // The description of the button lists the new categories that pressing the button would create.
  await dialog.getByRole("button", { description: "Create 2 new categories Dogs, Cats" }).waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });

  await paste(page, 'id;status;name;category\r\n1;sold;"Ada; the cat";cats\r\n');
  await waitForFocus(add("1 animal"));
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });

  // No column title stands for the category, so the user must choose the column.
  await paste(page, "Name\tGroup\nBen\tDogs");
  const category = dialog.getByLabel("Category", { exact: true });
  await waitForFocus(category);
  expect(await findAxeViolations(page)).toEqual([]);
  await category.selectOption("Group");
  await add("1 animal").click();
  await dialog.waitFor({ state: "detached" });

  await paste(page, "Cleo, Dogs\n, Dogs\nDina, Cats, sold, today");
  await dialog.getByText("2 lines are rejected").waitFor();
  await waitForFocus(dialog.getByLabel("Name", { exact: true }));
  expect(await findAxeViolations(page)).toEqual([]);
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe("pasted-list-rejected.csv");
  expect(readFileSync(await saved.path(), "utf8")).toBe(
    "\ufeffline,reason,Column 1,Column 2\r\n2,Name: Enter a name.,, Dogs\r\n" +
      '3,"This line has 4 fields, but the first line has 2 columns.",Dina, Cats, sold, today\r\n',
  );
  await add("1 animal").click();
  await dialog.getByText("Added 1 of 1 animal.").waitFor();
  await dialog.getByText("Pasted list").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  expect(await readPets(visitor)).toEqual([
    ["Rex", 1, "available"],
    ["Mia", 2, "available"],
    ["Ada; the cat", 2, "sold"],
    ["Ben", 1, "available"],
    ["Cleo", 1, "available"],
  ]);

  await paste(page, Array.from({ length: 101 }, (_, index) => `Animal ${index}, Kind ${index}`).join("\n"));
  await dialog.getByText("101 categories in this list are unknown.").waitFor();
});

test("a list can be pasted into the import dialog, and an unusable list is rejected with the reason", async () => {
  await using visitor = await enterConsole({ permissions, viewport: { width: 360, height: 740 } });
  const { page } = visitor;
  await page.getByRole("button", { name: "Import", exact: true }).click();
  const dialog = importDialog(page);
  await dialog.getByText("Drop a CSV file here, paste rows from a spreadsheet, or").waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
  await paste(page, "Rex\nMia");
  await dialog.getByText("Each line of this list needs a name and a category, such as Rex, Dogs.").waitFor();
  await paste(page, " ,\n,\n");
  await dialog.getByText("This list is empty.").waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
  await paste(page, "Rex, 1\n".repeat(100_001));
  await dialog.getByText("This list is too large for this page").waitFor();
  await pasteFiles(page, [{ name: "one.csv", type: "text/csv", text: "name\nRex\n" }]);
  await dialog.getByText("Each line of this list needs a name and a category").waitFor();

  // While another dialog is open above the import dialog, pasting imports nothing, wherever the focus is.
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Search and commands" });
  await paste(page, "Ben, 2");
  expect(await palette.getByRole("combobox").inputValue()).toBe("Ben, 2");
  await palette.getByRole("button", { name: "Close" }).focus();
  await paste(page, "Ada, 2");
  await page.keyboard.press("Escape");
  await palette.waitFor({ state: "detached" });
  await dialog.getByText("Each line of this list needs a name and a category").waitFor();

  await paste(page, "Rex, 1");
  await waitForFocus(dialog.getByRole("button", { name: "Add 1 animal" }));
  await paste(page, "Mia, 1\nBen, 1");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  expect(await readPets(visitor)).toEqual([["Rex", 1, "available"]]);
});

test("pasting a copied file imports the file like a dropped file", async () => {
  await using visitor = await enterConsole({ permissions });
  const { page } = visitor;
  await page.getByText("No animals yet").waitFor();
  const dialog = importDialog(page);
  await pasteFiles(page, [{ name: "till.csv", type: "text/csv", text: "name,category\nRex,1\n" }], "till.csv");
  await waitForFocus(dialog.getByRole("button", { name: "Add 1 animal" }));
  await dialog.getByText("till.csv").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await pasteFiles(page, [{ name: "empty.csv", type: "text/csv", text: "" }]);
  await dialog.getByText("This file is empty.").waitFor();
});

test("pressing Enter before the preview of an import has loaded neither adds animals nor closes the dialog", async () => {
  await using visitor = await enterConsole({ permissions });
  const { page } = visitor;
  await page.getByText("No animals yet").waitFor();
  const release = await holdRequests(page, "**/v1/categories?*");
  await paste(page, "Rex, 1");
  const dialog = importDialog(page);
  await dialog.getByText("Loading Pasted list").waitFor();
  await dialog.and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  release();
  await waitForFocus(dialog.getByRole("button", { name: "Add 1 animal" }));
  expect(await readPets(visitor)).toEqual([]);
});

test("pasting into a text field, another dialog or another view imports nothing", async () => {
  await using visitor = await enterConsole({ permissions, animals: 3 });
  const { page, service } = visitor;
  await page.getByText("3 animals, newest first").waitFor();
  await page.evaluate(() => {
    const seenDialogs = new Set<Node>();
    const countDialogs = () => {
      for (const dialog of document.querySelectorAll("dialog.large")) seenDialogs.add(dialog);
      document.body.dataset["imports"] = String(seenDialogs.size);
    };
    new MutationObserver(countDialogs).observe(document.body, { childList: true, subtree: true });
  });
  const list = "Rex, 1\nMia, 2";
  const filter = page.getByLabel("Category");
  await filter.focus();
  await paste(page, list);
  expect(await filter.inputValue()).toBe("Rex, 1 Mia, 2");
  await filter.fill("");
  await filter.press("Tab");

  await page.keyboard.press("Control+k");
  await paste(page, list);
  await page.getByText("Nothing matches Rex, 1 Mia, 2.").waitFor();
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Add an animal" }).click();
  const adding = page.getByRole("dialog", { name: "Add an animal" });
  await adding.getByRole("button", { name: "Cancel" }).focus();
  await paste(page, list);
  await adding.getByLabel("Name").focus();
  await paste(page, "Rex");
  expect(await adding.getByLabel("Name").inputValue()).toBe("Rex");
  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "Discard your changes?" });
  await question.waitFor();
  await paste(page, list);
  await question.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });

  for (const text of ["", " \n\t "]) await paste(page, text);
  await paste(page, "Rex");
  await page.getByRole("status").getByText("Each line of this list needs a name and a category").waitFor();

  await page.keyboard.press("Control+k");
  await page.keyboard.type("keyboard");
  await page.keyboard.press("Enter");
  const shortcuts = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await shortcuts.getByText("Ctrl VImport the rows that you copied").waitFor();
  await paste(page, list);
  await page.keyboard.press("Escape");

  await page.getByRole("link", { name: "Orders" }).click();
  await page.getByText("No orders yet").waitFor();
  await paste(page, list);
  await page.getByRole("link", { name: "Animals", exact: true }).click();
  await page.getByText("3 animals, newest first").waitFor();
  expect(await page.locator("body").getAttribute("data-imports")).toBe("0");

  // A focused checkbox does not accept text, so pasting imports the list.
  await page.getByRole("row").getByRole("checkbox").first().focus();
  await paste(page, list);
  await waitForFocus(importDialog(page).getByRole("button", { name: "Add 2 animals" }));
  expect(await page.locator("body").getAttribute("data-imports")).toBe("1");
  await page.keyboard.press("Escape");

  const { key } = await addKey(service.store, { scope: "read" });
  const reader = await visitor.openTab("/animals", key);
  await reader.getByText("Your key has the scope read").waitFor();
  const isIgnored = reader.evaluate(
    () => new Promise<boolean>((resolve) => addEventListener("paste", (event) => resolve(!event.defaultPrevented))),
  );
  await paste(reader, list);
  expect(await isIgnored).toBe(true);
  expect(await importDialog(reader).count()).toBe(0);
});
