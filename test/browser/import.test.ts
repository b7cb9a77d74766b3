import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import {
  failedRequestPattern,
  findAxeViolations,
  holdRequests,
  intercept,
  rowOf,
  test,
  type Visit,
  visit,
} from "../support/browser.ts";
import { addKey } from "../support/keys.ts";
import { temporaryFolder } from "../support/temporary.ts";

async function download(page: Page, act: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [saved] = await Promise.all([page.waitForEvent("download"), act()]);
  return { name: saved.suggestedFilename(), text: readFileSync(await saved.path(), "utf8") };
}

const readPets = async ({ service }: Visit) => (await service.client.call("/v1/pets?limit=100")).text;

const createCsvFile = (text: string | Buffer, name = "animals.csv") => ({
  name,
  mimeType: "text/csv",
  buffer: Buffer.from(text as string),
});

async function drop(page: Page, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([title = "", content = ""]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], title, { type: "text/csv" }));
      return transfer;
    },
    [name, text],
  );
  await page.dispatchEvent("main", "dragenter", { dataTransfer });
  await page.getByText("Drop a CSV file to import its animals").waitFor();
  await page.dispatchEvent("main", "drop", { dataTransfer });
}

test("the export is a CSV file of the filtered animals, with exact numbers and no formulas, and can be cancelled", async () => {
  await using visitor = await visit({ animals: 350 });
  const { page, service, enter } = visitor;
  await service.client.call("/v1/categories/7", { method: "PUT", body: { name: "Dogs; big" } });
  for (const pet of [
    '{"name": "=1+1", "categoryId": 9223372036854775807, "status": "pending"}',
    '{"name": "Rex \\"the, dog\\"", "categoryId": 7, "status": "pending"}',
    '{"name": "小鸟", "categoryId": 7, "status": "sold"}',
  ]) {
    await service.client.call("/v1/pets", { body: pet });
  }
  await enter();
  await page.getByRole("button", { name: "pending" }).click();
  await page.getByLabel("Category").fill("7");
  await page.getByLabel("Category").press("Enter");
  await page.getByText("1 animal", { exact: false }).first().waitFor();
  const filtered = await download(page, () => page.getByRole("button", { name: "Export" }).click());
  expect(filtered.name).toBe("animals-pending-category-7.csv");
  expect(filtered.text).toBe(
    '\ufeffid,name,categoryId,category,status\r\n352,"Rex ""the, dog""",7,"Dogs; big",pending\r\n',
  );
  await page.getByText("Exported 1 animal.").waitFor();

  // In another view, the export command ignores the filter and exports all animals.
  await page.getByRole("link", { name: "Orders" }).click();
  const exportAll = async () => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("export");
    await page.getByRole("option", { name: "Export animals as CSV" }).click();
  };
  const all = await download(page, exportAll);
  expect(all.name).toBe("animals.csv");
  const lines = all.text.split("\r\n");
  expect(lines).toHaveLength(355);
  expect(lines[351]).toBe("351,'=1+1,9223372036854775807,,pending");

  const release = await holdRequests(page, "**/v1/pets?*cursor=*");
  let downloadCount = 0;
  page.on("download", () => downloadCount++);
  await exportAll();
  const dialog = page.getByRole("dialog", { name: "Exporting animals" });
  await dialog.getByText("100 of 353 read").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  release();
  await page.unrouteAll({ behavior: "wait" });
  expect(downloadCount).toBe(0);
});

test("for a dropped CSV file, the user chooses columns in a preview that lists invalid lines, and only valid lines are added", async () => {
  await using visitor = await visit({ viewport: { width: 1440, height: 900 } });
  const { page, service, enter } = visitor;
  await service.client.call("/v1/categories/7", { method: "PUT", body: { name: "Dogs" } });
  await enter();
  await page.getByText("No animals yet").waitFor();
  await drop(
    page,
    "from the till.csv",
    '\ufeffTier;Art;Zustand\r\n"Rex; the ""Great""";dogs;sold\r\nMia;9223372036854775807;\r\n;7;lost\r\nIgor;Dragons;\r\n',
  );
  const dialog = page.getByRole("dialog", { name: "Import animals" });
  // The first line contains no known column title, so the console treats the line as an animal.
  await dialog.getByText("Line 1").waitFor();
  await dialog.getByLabel("The first line names the columns").check();
  await dialog.getByText("Choose its column.").first().waitFor();
  await dialog.getByLabel("Name", { exact: true }).selectOption("Tier");
  await dialog.getByLabel("Category", { exact: true }).selectOption("Art");
  await dialog.getByLabel("Status", { exact: true }).selectOption("Zustand");
  await dialog.getByRole("cell", { name: 'Rex; the "Great"' }).waitFor();
  await dialog.getByText("Line 4").waitFor();
  await dialog.getByText("Name: Enter a name. Status: Use available, pending, sold, or leave it empty.").waitFor();
  const newCategoryBox = dialog.getByLabel("Create a new category");
  expect(await newCategoryBox.isChecked()).toBe(true);
  await newCategoryBox.uncheck();
  await dialog.getByRole("button", { name: "Add 2 animals" }).waitFor();
  await newCategoryBox.check();
  expect(await findAxeViolations(page)).toEqual([]);
  expect(await readPets(visitor)).toBe("[]");
  await dialog.getByRole("button", { name: "Add 3 animals" }).click();
  await dialog.getByText("Added 3 of 3 animals.").waitFor();
  expect(await readPets(visitor)).toBe(
    '[{"id":1,"name":"Rex; the \\"Great\\"","categoryId":7,"status":"sold"},{"id":2,"name":"Mia","categoryId":9223372036854775807,"status":"available"},{"id":3,"name":"Igor","categoryId":8,"status":"available"}]',
  );
  const rejected = await download(page, () => dialog.getByRole("button", { name: "Download" }).click());
  expect(rejected.name).toBe("from the till-rejected.csv");
  expect(rejected.text).toBe(
    '\ufeffline,reason,Tier,Art,Zustand\r\n4,"Name: Enter a name. Status: Use available, pending, sold, or leave it empty.",,7,lost\r\n',
  );
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await rowOf(page, "Igor").getByText("Dragons").waitFor();
});

test("the import rejects an unreadable file with advice, and accepts an exported file unchanged", async () => {
  await using visitor = await visit({ viewport: { width: 360, height: 740 }, colorScheme: "dark" });
  const { page, service, enter } = visitor;
  const oddNames = ["=1+1", "'-Rex-", " Zoë, 小鸟\u00a0"];
  for (const name of oddNames)
    await service.client.call("/v1/pets", { body: { name, categoryId: -7, status: "pending" } });
  await enter();
  const exported = await download(page, () => page.getByRole("button", { name: "Export" }).click());
  await page.getByRole("button", { name: "Import" }).click();
  const dialog = page.getByRole("dialog", { name: "Import animals" });
  expect(await findAxeViolations(page)).toEqual([]);
  const input = dialog.getByLabel("CSV file");
  await input.setInputFiles(createCsvFile(""));
  await dialog.getByText("This file is empty.").waitFor();
  await input.setInputFiles(createCsvFile(Buffer.from("name,category\nZo\xeb,1\n", "latin1")));
  await dialog.getByText("save it as CSV UTF-8").waitFor();
  await input.setInputFiles(createCsvFile(exported.text));
  await dialog.getByRole("button", { name: "Add 3 animals" }).and(page.locator(":focus")).waitFor();
  expect(await findAxeViolations(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByText("Added 3 animals.").waitFor();
  await dialog.waitFor({ state: "detached" });
  const pets = JSON.parse(await readPets(visitor)) as { name: string; categoryId: number; status: string }[];
  expect(pets.map(({ name, categoryId, status }) => [name, categoryId, status])).toEqual(
    [...oddNames, ...oddNames].map((name) => [name, -7, "pending"]),
  );
});

test("a long import adds animals in batches, adds none twice after a lost response, warns before leaving, and can be stopped", async () => {
  await using visitor = await visit({ path: "/overview" });
  const { page, service, enter, expectedErrors } = visitor;
  expectedErrors.push(/net::ERR_FAILED/);
  await enter();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("import");
  await page.getByRole("option", { name: "Import animals from a CSV file" }).click();
  const dialog = page.getByRole("dialog", { name: "Import animals" });
  const lines = Array.from({ length: 3_500 }, (_, index) => `Animal ${index + 1}\t1`);
  await dialog.getByLabel("CSV file").setInputFiles(createCsvFile(["name\tcategory", ...lines].join("\n"), "many.tsv"));
  const keys: (string | undefined)[] = [];
  const stopped = Promise.withResolvers<void>();
  await intercept(page, "**/v1/pets:batch", async (route) => {
    keys.push(route.request().headers()["idempotency-key"]);
    const { length } = keys;
    // Corrupts one animal in transit, so that the store rejects it.
    if (length === 1) await route.continue({ postData: route.request().postData()?.replace('"Animal 7"', '""') ?? "" });
    else if (length === 2) {
      await route.fetch();
      await route.abort("failed");
    } else if (length <= 4) await route.abort("failed");
    else {
      if (length === 6) await stopped.promise;
      await route.continue();
    }
  });
  await dialog.getByRole("button", { name: "Add 3,500 animals" }).click();
  await dialog.getByText("The store did not respond.").waitFor();
  await dialog.getByText("It may have been added: the store's response was lost.").first().waitFor();
  await dialog.getByRole("button", { name: "Try again" }).click();
  await dialog.getByText("2,000 of 3,500").waitFor();
  expect(new Set(keys.slice(1, 5)).size).toBe(1);
  await page.keyboard.press("Escape");
  const question = page.getByRole("dialog", { name: "Stop the import?" });
  await question.getByRole("button", { name: "Continue" }).click();
  const unloadQuestion = page.waitForEvent("dialog");
  await page.evaluate(() => void setTimeout(() => location.reload()));
  const unloadDialog = await unloadQuestion;
  expect(unloadDialog.type()).toBe("beforeunload");
  await unloadDialog.dismiss();
  await dialog.getByRole("button", { name: "Stop" }).click();
  await question.getByRole("button", { name: "Stop" }).click();
  stopped.resolve();
  await dialog.getByText("Added 2,999 of 3,500 animals.").waitFor();
  await dialog.getByText("501 lines are rejected").waitFor();
  await dialog.getByText("Line 8name must be a string of 1 to 255 characters").waitFor();
  await dialog.getByText("The import ended before this line.").first().waitFor();
  const { json } = await service.client.call("/v1/store/inventory");
  expect(json).toMatchObject({ available: 2_999 });
});

test("an import that the user leaves or that a sign-out interrupts reports its result later, and offers the remaining lines", async () => {
  await using visitor = await visit({ path: "/overview" });
  const { page, service, enter, signIn, expectedErrors } = visitor;
  expectedErrors.push(failedRequestPattern(401));
  const { key, id } = await addKey(service.store, { scope: "write" });
  await enter(key);
  await page.getByRole("link", { name: "Animals", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Import animals" });
  const lines = Array.from({ length: 1_500 }, (_, index) => `Animal ${index + 1},1`);
  const sessionEnded = Promise.withResolvers<void>();
  const begin = async () => {
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await dialog.getByLabel("CSV file").setInputFiles(createCsvFile(["name,category", ...lines].join("\n")));
    await dialog.getByRole("button", { name: "Add 1,500 animals" }).click();
  };
  const downloadRemainingLines = async () => {
    const saved = await download(page, () => dialog.getByRole("button", { name: "Download" }).click());
    return saved.text.split("\r\n").slice(1, -1);
  };

  // Revokes the key during the last batch: the batch arrives, but its response is lost.
  await intercept(page, "**/v1/pets:batch", async (route) => {
    if (route.request().postData()?.includes('"Animal 1"')) return await route.continue();
    await route.fetch();
    await service.store.keys.revoke(id, Date.now(), false);
    await sessionEnded.promise;
    await route.abort().catch(() => {});
  });
  await begin();
  await page.getByText("You were signed out. The API key is revoked.").waitFor();
  sessionEnded.resolve();
  await signIn();
  await dialog.getByText("Added 1,000 of 1,500 animals.").waitFor();
  const doubtfulLines = await downloadRemainingLines();
  expect(doubtfulLines).toHaveLength(500);
  expect(doubtfulLines[0]).toBe("1002,It may have been added: the store's response was lost.,Animal 1001,1");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await dialog.waitFor({ state: "detached" });
  await page.unroute("**/v1/pets:batch");

  // Leaves the view during the import: only the batch in flight is still added.
  const releaseBatch = await holdRequests(page, "**/v1/pets:batch");
  await begin();
  await dialog.getByText("0 of 1,500").waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  releaseBatch();
  await page.getByText("The import has ended. Added 1,000 of 1,500 animals.").waitFor();
  await page.getByRole("button", { name: "Show" }).click();
  await dialog.getByText("Added 1,000 of 1,500 animals.").waitFor();
  const unimportedLines = await downloadRemainingLines();
  expect(unimportedLines).toHaveLength(500);
  expect(unimportedLines[0]).toBe("1002,The import ended before this line.,Animal 1001,1");
});

test("dropping a file outside the animals view has no effect, and the browser does not leave the page", async () => {
  await using visitor = await visit({ path: "/overview" });
  const { page, open, signIn } = visitor;
  await open();
  using folder = temporaryFolder();
  const file = join(folder.path, "animals.csv");
  writeFileSync(file, "name,category\nRex,1\n");
  const session = await page.context().newCDPSession(page);
  /** Drops a file through the browser itself, which would open the file if the page did not handle the drop. */
  const dropNatively = async () => {
    const wouldNavigate = page.evaluate(
      () =>
        new Promise<boolean>((resolve) => addEventListener("dragover", (event) => resolve(!event.defaultPrevented))),
    );
    const data = { items: [], files: [file], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const) {
      await session.send("Input.dispatchDragEvent", { type, x: 600, y: 400, data });
    }
    expect(await wouldNavigate).toBe(false);
  };
  await dropNatively();
  await signIn();
  await page.getByText("No order is open.").waitFor();
  await dropNatively();
  await page.getByRole("link", { name: "Animals", exact: true }).click();
  await page.getByText("No animals yet").waitFor();
  await page.getByRole("button", { name: "Add an animal" }).first().click();
  await page.getByRole("dialog", { name: "Add an animal" }).waitFor();
  await dropNatively();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await dropNatively();
  await page.getByRole("dialog", { name: "Import animals" }).getByRole("cell", { name: "Rex" }).waitFor();
});

test("a user whose key has the scope read can export animals, but not import animals", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, enter } = visitor;
  const { key } = await addKey(service.store, { scope: "read" });
  await enter(key);
  await page.getByText("Your key has the scope read").waitFor();
  expect(await page.getByRole("button", { name: "Import" }).isDisabled()).toBe(true);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("animals");
  await page.getByRole("option", { name: "Export animals as CSV" }).waitFor();
  expect(await page.getByRole("option", { name: "Import" }).count()).toBe(0);
});
