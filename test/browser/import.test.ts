import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { test, visit } from "../support/browser.ts";

/** What the browser saves when somebody does that. */
async function downloadOf(page: Page, act: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [saved] = await Promise.all([page.waitForEvent("download"), act()]);
  return { name: saved.suggestedFilename(), text: readFileSync(await saved.path(), "utf8") };
}

test("what the filters show is exported as CSV, exactly, and no name is a formula; a long export can be cancelled", async () => {
  await using visitor = await visit({ animals: 350 });
  const { page, service, signIn } = visitor;
  await service.client.call("/v1/categories/7", { method: "PUT", body: { name: "Dogs; big" } });
  for (const pet of [
    '{"name": "=1+1", "categoryId": 9223372036854775807, "status": "pending"}',
    '{"name": "Rex \\"the, dog\\"", "categoryId": 7, "status": "pending"}',
    '{"name": "小鸟", "categoryId": 7, "status": "sold"}',
  ]) {
    await service.client.call("/v1/pets", { body: pet });
  }
  await signIn();
  await page.getByRole("button", { name: "pending" }).click();
  await page.getByLabel("Category").fill("7");
  await page.getByLabel("Category").press("Enter");
  await page.getByText("1 animal", { exact: false }).first().waitFor();
  const filtered = await downloadOf(page, () => page.getByRole("button", { name: "Export" }).click());
  expect(filtered.name).toBe("animals-pending-category-7.csv");
  expect(filtered.text).toBe(
    '\ufeffid,name,categoryId,category,status\r\n352,"Rex ""the, dog""",7,"Dogs; big",pending\r\n',
  );
  await page.getByText("Exported 1 animal.").waitFor();

  // From another view, everything.
  await page.getByRole("link", { name: "Orders" }).click();
  const exportAll = async () => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("export");
    await page.getByRole("option", { name: "Export animals as CSV" }).click();
  };
  const all = await downloadOf(page, exportAll);
  expect(all.name).toBe("animals.csv");
  const lines = all.text.split("\r\n");
  expect(lines).toHaveLength(355);
  expect(lines[351]).toBe("351,'=1+1,9223372036854775807,,pending");

  const held = Promise.withResolvers<void>();
  await page.route("**/v1/pets?*cursor=*", async (route) => {
    await held.promise;
    await route.continue().catch(() => {});
  });
  let downloads = 0;
  page.on("download", () => downloads++);
  await exportAll();
  const dialog = page.getByRole("dialog", { name: "Exporting animals" });
  await dialog.getByText("100 of 353 read").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  held.resolve();
  await page.unrouteAll({ behavior: "wait" });
  expect(downloads).toBe(0);
});
