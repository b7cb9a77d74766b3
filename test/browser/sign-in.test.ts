import { expect } from "bun:test";
import { failedRequestPattern, findAxeViolations, intercept, test, visit } from "../support/browser.ts";
import { addKey } from "../support/keys.ts";
import { clickButtons } from "./gestures.ts";

test("the key of a signed-in user is stored only for the tab and is not in the address, and signing out removes the key", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, open, signIn } = visitor;
  await open();
  await page.getByLabel("API key").waitFor();
  expect(await page.evaluate(() => document.body.getBoundingClientRect().top)).toBe(0);
  await signIn();
  await page.getByRole("button", { name: "Animal 1", exact: true }).waitFor();
  expect(page.url()).not.toContain(service.client.key);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }) + document.cookie)).toBe("{}");
  await page.reload();
  await page.getByRole("button", { name: "Animal 1", exact: true }).waitFor();
  const other = await visitor.openTab("/");
  await other.getByLabel("API key").waitFor();
  await clickButtons(page, "Your key: environment admin", "Sign out");
  await page.getByLabel("API key").waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test("signing in with an invalid key and with an expired key shows different messages, and the user can try another key", async () => {
  await using visitor = await visit({ expectedErrors: [failedRequestPattern(401)] });
  const { page, service, open, signIn } = visitor;
  await open();
  const expired = await addKey(service.store, { expiresAt: 1 });
  for (const [key, message] of [
    ["not-a-key-at-all", "The API key is not valid. Use another one."],
    [expired.key, "The API key is expired. Use another one."],
  ] as const) {
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByText(message).waitFor();
  }
  await page.getByLabel("API key").fill("schlüssel");
  await page.getByText("A key contains only ASCII letters, digits and punctuation.").waitFor();
  expect(await page.getByRole("button", { name: "Sign in" }).isDisabled()).toBe(true);
  await signIn();
});

test("the revocation of the key ends the session, and the sign-in page shows the reason", async () => {
  await using visitor = await visit({ animals: 3, expectedErrors: [failedRequestPattern(401)] });
  const { page, service, open, signIn } = visitor;
  await open();
  const { key, id } = await addKey(service.store, { scope: "write" });
  await signIn(key);
  await service.store.keys.revoke(id, Date.now(), false);
  await page.getByText("You were signed out. The API key is revoked. Use another one.").waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test("a late 401 response to a request with an earlier key does not end the session of the current key", async () => {
  await using visitor = await visit({ animals: 3, expectedErrors: [failedRequestPattern(401)] });
  const { page, service, open, signIn } = visitor;
  await open();
  const { key, id } = await addKey(service.store, { scope: "write" });
  await signIn(key);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await intercept(page, "**/v1/pets?*", async (route) => {
    await released;
    await route.continue().catch(() => {});
  });
  await page.getByRole("button", { name: "sold 1" }).click();
  await service.store.keys.revoke(id, Date.now(), false);
  await page.getByText("You were signed out.").waitFor();
  await signIn();
  release();
  await page.getByRole("button", { name: "Animal 2", exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Your key" }).count()).toBe(1);
});

test("a user with a read-only key can change nothing, and the console explains why", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, url, enter } = visitor;
  await service.store.orders.place({ petId: 3 }, Date.now());
  await service.store.categories.put({ id: 1, name: "Dogs" }, undefined);
  await enter((await addKey(service.store, { name: "auditor" })).key);
  await page.getByRole("button", { name: "Your key: auditor read" }).waitFor();
  const reason = page.getByText("Your key has the scope read: you can view everything except keys and webhooks");
  await reason.waitFor();
  const add = page.getByRole("button", { name: "Add an animal" });
  expect(await add.isDisabled()).toBe(true);
  expect(await add.getAttribute("aria-describedby")).toBe(await reason.getAttribute("id"));
  expect(await findAxeViolations(page)).toEqual([]);

  for (const name of ["Animal 1", "Animal 3"]) {
    await page.getByRole("button", { name, exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Your key lets you view this animal, but not change it.").waitFor();
    expect(await dialog.getByLabel("Name").getAttribute("readonly")).not.toBeNull();
    expect(await dialog.getByLabel("Category").getAttribute("readonly")).not.toBeNull();
    expect(await dialog.getByLabel("Status").isDisabled()).toBe(true);
    expect(await dialog.getByRole("button").allTextContents()).toEqual(["", "Close"]);
    await dialog.getByRole("button", { name: "Close" }).last().click();
  }

  await page.getByRole("link", { name: "Orders" }).click();
  await page.getByRole("cell", { name: "placed" }).waitFor();
  expect(await page.getByRole("button", { name: /order/i }).count()).toBe(0);
  await page.getByRole("link", { name: "Categories" }).click();
  await page.getByRole("cell", { name: "Dogs" }).waitFor();
  expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
  expect(await page.getByRole("textbox").count()).toBe(0);
  const offered = page.getByRole("navigation", { name: "Views" }).locator(".links").getByRole("link");
  expect(await offered.allTextContents()).toEqual(["Overview", "Animals", "Orders", "Categories", "Activity"]);
  for (const view of ["keys", "webhooks"]) {
    await page.goto(`${url}/${view}`);
    await page.getByText(`Only admins can manage ${view}`).waitFor();
    await page.getByText("Your key has the scope read. Sign in with one that has the scope admin").waitFor();
    expect(await reason.count()).toBe(0);
  }
});

test("a key with the scope write gives access to everything but keys and webhooks", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, url, enter } = visitor;
  await enter((await addKey(service.store, { name: "till", scope: "write" })).key);
  await page.getByRole("button", { name: "Your key: till write" }).waitFor();
  expect(await page.getByText("you can view everything").count()).toBe(0);
  await page.getByRole("button", { name: "Add an animal" }).click();
  await page.getByLabel("Name").fill("Rex");
  await page.getByRole("dialog").getByLabel("Category").fill("1");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("Added Rex as animal 4.").waitFor();
  expect(await page.getByRole("link", { name: /Keys|Webhooks/ }).count()).toBe(0);
  await page.goto(`${url}/keys`);
  await page.getByText("Your key has the scope write. Sign in with one that has the scope admin").waitFor();
});

test("an admin sees which key is their own, and cannot create a key that expires later than their own key", async () => {
  await using visitor = await visit();
  const { page, service, enter } = visitor;
  const expiresAt = Date.now() + 3 * 24 * 3_600_000;
  const { key } = await addKey(service.store, { name: "guest", scope: "admin", createdAt: Date.now(), expiresAt });
  await addKey(service.store, { name: "owner", scope: "admin", createdAt: Date.now() });
  await enter(key);
  await page.getByRole("button", { name: "Your key: guest admin" }).waitFor();
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("row").filter({ hasText: "(yours)" }).waitFor();
  expect(await page.getByRole("row").filter({ hasText: "(yours)" }).allTextContents()).toEqual([
    expect.stringContaining("guest (yours)"),
  ]);
  await page.getByRole("button", { name: "Revoke key 2" }).click();
  expect(await page.getByRole("dialog").textContent()).not.toContain("you have signed in with it");
  await clickButtons(page, "Keep it", "Revoke key 1");
  await page.getByText("so are you, since you have signed in with it").waitFor();
  await page.getByRole("button", { name: "Keep it" }).click();

  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByLabel("Name").fill("helper");
  await page.getByLabel("Last day").fill("2099-12-31");
  await page.getByText("Choose an earlier date: your own key expires before that.").waitFor();
  await page.getByLabel("Last day").fill("");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText("This is the key of helper.").waitFor();
  expect(await service.store.keys.get(3)).toMatchObject({ name: "helper", expiresAt });
  await page.getByRole("button", { name: "I have saved it" }).click();

  // After a rotation, the old key expires earlier, and so do the keys that the admin creates with the old key.
  await clickButtons(page, "Rotate key 1", "Create the new key", "I have saved it");
  const { expiresAt: earlierExpiry } = (await service.client.call("/v1/keys/1")).json as { expiresAt: string };
  await page.getByRole("button", { name: "Create a key" }).click();
  const expiryText = await page.evaluate((end) => new Date(end).toLocaleString(), earlierExpiry);
  await page.getByText(`Leave it empty for a key that expires with yours, on ${expiryText}.`).waitFor();
});
