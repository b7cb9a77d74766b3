import { expect } from "bun:test";
import {
  failedRequestPattern,
  findAxeViolationsByLook,
  intercept,
  step,
  test,
  type Visit,
  visit,
} from "../support/browser.ts";
import { addKey } from "../support/keys.ts";
import { until } from "../support/wait.ts";
import { clickButtons, runCommand } from "./gestures.ts";

const showView = ({ page }: Visit, view: string) => page.getByRole("link", { name: view }).click();

const untilFocused = ({ page }: Visit, label: string) =>
  page.waitForFunction((wanted) => document.activeElement?.getAttribute("aria-label") === wanted, label);

test("the orders view completes and cancels orders, and can be filtered by status", async () => {
  await using visitor = await visit({ animals: 12 });
  const { page, service, enter } = visitor;
  await enter();
  await showView(visitor, "Orders");
  await page.getByText("No orders yet").waitFor();
  for (const petId of [3, 6, 9, 12]) await service.client.call("/v1/store/orders", { body: { petId } });
  await page.reload();
  await page.getByRole("button", { name: "Complete order 1" }).click();
  await page.getByText("This marks Animal 3 as sold.").waitFor();
  await page.getByRole("button", { name: "Not now" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("row", { name: /^Order 1 Animal 3 placed/ }).waitFor();
  await page.getByRole("button", { name: "Complete order 1" }).click();
  await page.getByRole("button", { name: "Complete it" }).dblclick();
  await page.getByRole("row", { name: /^Order 1 Animal 3 completed/ }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.getByRole("button", { name: "Cancel order 4" }).click();
  await page.getByText("This puts Animal 12 back on sale.").waitFor();
  await page.getByRole("button", { name: "Cancel it" }).press("Enter");
  await page.getByRole("row", { name: /^Order 4 Animal 12 cancelled/ }).waitFor();
  await untilFocused(visitor, "Complete order 3");
  await page.getByRole("button", { name: "Complete order 2" }).press("Enter");
  await page.getByRole("button", { name: "Complete it" }).press("Enter");
  await page.getByRole("row", { name: /^Order 2 Animal 6 completed/ }).waitFor();
  // The heading receives the focus, because no later row has a button.
  await page.waitForFunction(() => document.activeElement?.tagName === "H1");
  await page.getByRole("button", { name: "placed", exact: true }).click();
  await page.getByRole("row", { name: /^Order 2 / }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: /^Order 3 Animal 9 placed/ }).waitFor();
  expect(await page.getByRole("row").count()).toBe(2);
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/orders?status=placed");
  await page.getByRole("link", { name: "Animal 9" }).click();
  expect(await page.getByRole("dialog").getByLabel("Name").inputValue()).toBe("Animal 9");
});

test("confirming the completion of an order reports that another user has just cancelled the order", async () => {
  await using visitor = await visit({ animals: 3, expectedErrors: [failedRequestPattern(409)] });
  const { page, service, enter } = visitor;
  await service.client.call("/v1/store/orders", { body: { petId: 3 } });
  await enter();
  await showView(visitor, "Orders");
  await page.getByRole("button", { name: "Complete order 1" }).click();
  await service.client.call("/v1/store/orders/1/cancel", { method: "POST" });
  await page.getByRole("row", { name: /cancelled/, includeHidden: true }).waitFor();
  await page.getByRole("button", { name: "Complete it" }).click();
  await page.getByText("Order 1 is already cancelled.").waitFor();
});

test("the orders view shows a hundred orders at first, and further orders on demand", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, enter } = visitor;
  for (let id = 1; id <= 101; id++) {
    await service.client.call("/v1/store/orders", { body: { petId: 3 } });
    await service.client.call(`/v1/store/orders/${id}/cancel`, { method: "POST" });
  }
  await enter();
  await showView(visitor, "Orders");
  await page.getByRole("row", { name: /^Order 101 / }).waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByRole("row", { name: /^Order 1 / }).waitFor();
  expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
  await page.evaluate(() => scrollTo(0, 2_000));
  await showView(visitor, "Categories");
  await page.getByText("No category has a name yet").waitFor();
  await page.goBack();
  await page.waitForFunction(() => scrollY === 2_000);
});

test("categories can be named and renamed, and their names can be deleted", async () => {
  await using visitor = await visit({
    animals: 5,
    expectedErrors: [failedRequestPattern(412), failedRequestPattern(404)],
  });
  const { page, service, enter } = visitor;
  await enter();
  await showView(visitor, "Categories");
  await page.getByText("No category has a name yet").waitFor();
  const saveName = async (number: string, text: string, message: string) => {
    await page.getByLabel("Number").fill(number);
    await page.getByLabel("Name", { exact: true }).fill(text);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText(message).waitFor();
  };
  await saveName("x", "Dogs", "Enter a whole number, or nothing.");
  await saveName("1", "Dogs", "Category 1 is now called Dogs.");
  for (const number of ["", "1"]) {
    await saveName(number, "dogs", "Category 1 is already called Dogs.");
    await page.getByRole("button", { name: "Dismiss" }).click();
  }
  await page.getByRole("button", { name: "Rename category 1" }).click();
  await page.keyboard.press("Enter");
  await page.getByText("Category 1 is already called Dogs.").waitFor();
  await saveName("1", "Wolves", "This category already has a name.");
  await page.getByRole("button", { name: "Rename category 1" }).click();
  await page.getByLabel("Name of category 1").fill("Hounds");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Category 1 is now called Hounds.").waitFor();
  await untilFocused(visitor, "Rename category 1");
  await page.keyboard.press("Enter");
  await service.client.call("/v1/categories/1", { method: "PUT", body: { name: "Puppies" } });
  await page.getByLabel("Name of category 1").fill("Mutts");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Somebody else has renamed it to Puppies.").waitFor();
  expect((await service.client.call("/v1/categories/1")).json).toEqual({ id: 1, name: "Puppies" });
  await showView(visitor, "Animals");
  await page.getByRole("row", { name: /1 Animal 1 Puppies 1/ }).waitFor();
  await showView(visitor, "Categories");
  expect(await page.getByRole("textbox", { name: "Name of category 1" }).inputValue()).toBe("Mutts");
  await clickButtons(page, "Cancel", "Rename category 1");
  expect(await page.getByLabel("Name of category 1").evaluate((element) => element.matches(":focus"))).toBe(true);
  await page.keyboard.press("Escape");
  await page.getByRole("textbox", { name: "Name of category 1" }).waitFor({ state: "detached" });
  await untilFocused(visitor, "Rename category 1");
  await page.getByRole("button", { name: "Delete the name of category 1" }).click();
  await service.client.call("/v1/categories/1", { method: "PUT", body: { name: "Wolves" } });
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Somebody else has renamed it to Wolves.").waitFor();
  expect((await service.client.call("/v1/categories/1")).status).toBe(200);
  await clickButtons(page, "Keep it", "Delete the name of category 1");
  await page.getByText("will no longer be called Wolves").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Deleted the name of category 1.").waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === "H1");
  await saveName("", "Cats", "Category 5 is now called Cats.");
  await saveName("2", "Lynxes", "Category 2 is now called Lynxes.");
  await page.getByRole("button", { name: "Rename category 2" }).click();
  await service.client.call("/v1/categories/2", { method: "DELETE" });
  await page.getByLabel("Name of category 2").fill("Lions");
  await page.keyboard.press("Enter");
  await page.getByText("Somebody else deleted the name of category 2, so yours was not saved.").waitFor();
  // The removed field had the focus. The view receives the focus, so that the next Tab does not start at the top of the page.
  await page.waitForFunction(() => document.activeElement?.tagName === "MAIN");
});

test("a category that is being renamed keeps its form when many categories appear above the form", async () => {
  await using visitor = await visit({ path: "/categories" });
  const { page, service, enter } = visitor;
  const putCategory = (id: number) =>
    service.client.call(`/v1/categories/${id}`, { method: "PUT", body: { name: `Kind ${id}` } });
  for (let id = 101; id <= 200; id++) await putCategory(id);
  await enter();
  await page.getByRole("button", { name: "Rename category 200" }).click();
  const field = page.getByRole("row").getByRole("textbox");
  await field.fill("A better name");
  for (let id = 1; id <= 80; id++) await putCategory(id);
  await page.getByRole("button", { name: "Rename category 80" }).waitFor();
  expect(await field.inputValue()).toBe("A better name");
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
});

test("keys can be created, rotated and revoked, and each secret is shown only once", async () => {
  await using visitor = await visit({ permissions: ["clipboard-read", "clipboard-write"] });
  const { page, service, enter } = visitor;
  await addKey(service.store, { scope: "admin", name: "till 0" });
  await enter();
  await showView(visitor, "Keys");
  await clickButtons(page, "Create a key", "Create key");
  await page.getByText("Enter a name.").waitFor();
  await page.getByLabel("Name").fill("till 1");
  await page.getByLabel("Scope").selectOption("write");
  await page.getByLabel("Last day").fill("2020-12-31");
  await page.getByText("Choose a future date, with a four-digit year.").waitFor();
  await page.getByLabel("Last day").fill("20271-12-31");
  await page.getByText("Choose a future date, with a four-digit year.").waitFor();
  await page.getByLabel("Last day").fill("2099-12-31");
  await page.getByRole("button", { name: "Create key" }).click();
  const key = await page.getByLabel("The key").inputValue();
  // Presses Escape repeatedly, because browsers then close a dialog without a cancel event.
  for (let count = 0; count < 8; count++) await page.keyboard.press("Escape");
  expect(await page.getByLabel("The key").isVisible()).toBe(true);
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByText("Copied.").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  expect((await service.client.call("/v1/pets", { key })).status).toBe(200);
  await page.getByRole("button", { name: "I have saved it" }).click();
  expect(await page.content()).not.toContain(key);
  await page.getByRole("row", { name: /^2 till 1 write active Dec 31, 2099/ }).waitFor();
  await page.getByRole("button", { name: "Rotate key 2" }).click();
  await page.getByText("keeps working for a day").waitFor();
  await page.getByRole("button", { name: "Create the new key" }).dblclick();
  const successor = await page.getByLabel("The key").inputValue();
  expect(successor).not.toBe(key);
  await page.getByRole("button", { name: "I have saved it" }).click();
  await page.getByRole("row", { name: /^2 till 1 write retiring/ }).waitFor();
  await page.getByRole("button", { name: "Revoke key 3" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("row", { name: /^3 till 1 write revoked/ }).waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.tagName === "H1");
});

test("a secret that is shown only once stays visible after Back, after a command, and after a cancelled reload", async () => {
  await using visitor = await visit({ path: "/overview" });
  const { page, enter } = visitor;
  await enter();
  await showView(visitor, "Keys");
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByLabel("Name").fill("till");
  await page.getByRole("button", { name: "Create key" }).click();
  const keyField = page.getByLabel("The key");
  const key = await keyField.inputValue();
  expect(await keyField.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.goBack();
  await page.waitForURL("**/overview");
  expect(await keyField.inputValue()).toBe(key);
  await runCommand(page, "Go to animals");
  await page.waitForURL("**/animals");
  expect(await keyField.inputValue()).toBe(key);
  const unloadQuestion = page.waitForEvent("dialog");
  await page.evaluate(() => void setTimeout(() => location.reload()));
  const unloadDialog = await unloadQuestion;
  expect(unloadDialog.type()).toBe("beforeunload");
  await unloadDialog.dismiss();
  const state = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]));
  expect(state).not.toContain(key);
  await runCommand(page, "Sign out");
  await page.getByText("The key is not shown again.").waitFor();
  await clickButtons(page, "Stay signed in", "I have saved it");
  await keyField.waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(key);
  expect(await page.getByRole("navigation", { name: "Views" }).isVisible()).toBe(true);
});

test("the console reports an unreachable store, and recovers when the store is back", async () => {
  await using visitor = await visit({ animals: 3, expectedErrors: [/ERR_INTERNET_DISCONNECTED/] });
  const { page, service, enter } = visitor;
  await enter();
  await page.getByRole("button", { name: "all 3" }).waitFor();
  await page.context().setOffline(true);
  await page.getByText("The store cannot be reached. What you see may be stale").waitFor();
  await page.getByRole("button", { name: "sold 1" }).click();
  await page.getByText("Not loaded yet.").waitFor();
  await page.getByRole("button", { name: "Add an animal" }).click();
  const dialog = page.getByRole("dialog", { name: "Add an animal" });
  await dialog.getByLabel("Name").fill("Max");
  await dialog.getByLabel("Category").fill("Dragons");
  await dialog.getByRole("option", { name: "Create the category Dragons" }).click();
  await dialog.getByText("The store cannot be reached.").waitFor();
  await dialog.getByLabel("Category").fill("1");
  await dialog.getByText("The store cannot be reached.").waitFor({ state: "detached" });
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByText("The store cannot be reached.").waitFor();
  await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1, status: "sold" } });
  await page.context().setOffline(false);
  // The form no longer reports the outage, but still reports the failed attempt.
  await dialog.getByText("The store did not respond. Nothing you typed is lost; try again.").waitFor();
  await page.getByText("cannot be reached").first().waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("button", { name: "sold 2" }).waitFor();
  await page.getByText("What you see may be stale").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Rex" }).waitFor();
  expect(await page.getByText("Not loaded yet.").count()).toBe(0);
});

test("a view whose code could not be downloaded offers a retry, which loads the view", async () => {
  await using visitor = await visit({ path: "/overview", animals: 1, expectedErrors: [/ERR_FAILED/] });
  const { page, enter } = visitor;
  await enter();
  const entryScript = await page.locator("script[src]").first().getAttribute("src");
  const scripts = "**/assets/*.js";
  let isMissing = (_file: string) => true;
  await intercept(page, scripts, (route) => {
    const url = route.request().url();
    return url.endsWith(`${entryScript}`) || !isMissing(url) ? route.continue() : route.abort();
  });
  const untilLoadErrorShown = () =>
    page.getByRole("alert").getByText("could not be loaded. Check that you are connected").waitFor();
  await page.reload();
  for (const view of ["Keys", "Categories", "Animals"]) {
    await showView(visitor, view);
    // Waits for the new view, because the previous view shows the same error.
    await page.waitForFunction((name) => document.title.startsWith(name), view);
    await untilLoadErrorShown();
  }
  let abortedCount = 0;
  // Fails only the requests for chunks that are shared by several views.
  isMissing = (file) => {
    if (!/index-/.test(file)) return false;
    abortedCount++;
    return true;
  };
  await page.getByRole("button", { name: "Try again" }).click();
  await until(() => abortedCount > 0);
  await untilLoadErrorShown();
  await page.unroute(scripts);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "Animal 1", exact: true }).waitFor();
  await showView(visitor, "Keys");
  await page.getByRole("button", { name: "Create a key" }).waitFor();
  await showView(visitor, "Categories");
  await page.getByText("No category has a name yet").waitFor();
});

test("the views pass the accessibility checks, in light and dark, on a desktop and a phone", async () => {
  await using visitor = await visit();
  const { page, service, open, signIn, expectedErrors } = visitor;
  const expectNoViolations = async () => expect(await findAxeViolationsByLook(page)).toEqual([]);
  await open();
  await step("the sign-in page passes the accessibility checks", expectNoViolations);
  expectedErrors.push(failedRequestPattern(401));
  await page.getByLabel("API key").fill("a-wrong-key");
  await page.keyboard.press("Enter");
  await page.getByText("The API key is not valid.").waitFor();
  await step("the message about a failed sign-in passes the accessibility checks", expectNoViolations);

  await signIn();
  await page.getByText("No animals yet").waitFor();
  await step("the empty list passes the accessibility checks", expectNoViolations);
  for (const name of ["Rex", "Bella"]) await service.client.call("/v1/pets", { body: { name, categoryId: 1 } });
  await service.client.call("/v1/store/orders", { body: { petId: 1 } });
  await service.client.call("/v1/categories/1", { method: "PUT", body: { name: "Dogs" } });
  await addKey(service.store);
  for (const [view, text] of [
    ["Orders", "Rex"],
    ["Categories", "Dogs"],
    ["Keys", "test"],
    ["Animals", "Rex"],
  ] as const) {
    await showView(visitor, view);
    await page.getByText(text, { exact: true }).first().waitFor();
    await step(`the view ${view} passes the accessibility checks`, expectNoViolations);
  }

  await page.getByRole("button", { name: "Add an animal" }).click();
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("Enter a name.").waitFor();
  await step("a form with complaints passes the accessibility checks", expectNoViolations);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Bella", exact: true }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("is gone for good").waitFor();
  await step("a confirmation passes the accessibility checks", expectNoViolations);
  await page.keyboard.press("Escape");
  await page.getByText("is gone for good").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await showView(visitor, "Keys");
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByLabel("Name").fill("till");
  await step("the form for a new key passes the accessibility checks", expectNoViolations);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByLabel("The key").waitFor();
  await step("the dialog with a new secret passes the accessibility checks", expectNoViolations);
});
