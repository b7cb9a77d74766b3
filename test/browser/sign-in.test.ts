import { expect } from "bun:test";
import { failedRequest, test, visit } from "../support/browser.ts";
import { addKey } from "../support/keys.ts";

test("a person signs in with a key, which stays in the tab and out of the address, and signs out", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, url, signIn } = visitor;
  await signIn();
  await page.getByRole("button", { name: "Animal 1", exact: true }).waitFor();
  expect(page.url()).not.toContain(service.client.key);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }) + document.cookie)).toBe("{}");
  await page.reload();
  await page.getByRole("button", { name: "Animal 1", exact: true }).waitFor();
  const other = await visitor.another();
  await other.goto(url);
  await other.getByLabel("API key").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test("a key that is wrong, and one that expired, are told apart, and another can be tried", async () => {
  await using visitor = await visit();
  const { page, service, signIn, expectedErrors } = visitor;
  expectedErrors.push(failedRequest(401));
  const expired = await addKey(service.store, { expiresAt: 1 });
  for (const [key, message] of [
    ["not-a-key-at-all", "The API key is not valid."],
    [expired.key, "The API key is expired."],
  ] as const) {
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByText(message).waitFor();
  }
  await page.getByLabel("API key").fill("schlüssel");
  await page.getByText("A key has only letters, digits and signs of ASCII.").waitFor();
  expect(await page.getByRole("button", { name: "Sign in" }).isDisabled()).toBe(true);
  await signIn();
});

test("a key that is revoked while it is used ends the session, and says why", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, signIn, expectedErrors } = visitor;
  expectedErrors.push(failedRequest(401));
  const { key, id } = await addKey(service.store, { scope: "write" });
  await signIn(key);
  await service.store.keys.revoke(id, Date.now(), false);
  await page.getByText("You were signed out. The API key is revoked.").waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test("what comes late for a key that was given up does not end the session of another", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, signIn, expectedErrors } = visitor;
  expectedErrors.push(failedRequest(401));
  const { key, id } = await addKey(service.store, { scope: "write" });
  await signIn(key);
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/v1/pets?*", async (route) => {
    await isReleased;
    await route.continue().catch(() => {});
  });
  await page.getByRole("button", { name: "sold 1" }).click();
  await service.store.keys.revoke(id, Date.now(), false);
  await page.getByText("You were signed out.").waitFor();
  await signIn();
  release();
  await page.getByRole("button", { name: "Animal 2", exact: true }).waitFor();
  expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(1);
});

test("a key that may only read shows everything, and says what it lacks", async () => {
  await using visitor = await visit({ animals: 3 });
  const { page, service, signIn, expectedErrors } = visitor;
  expectedErrors.push(failedRequest(403));
  await signIn((await addKey(service.store)).key);
  await page.getByRole("button", { name: "Add an animal" }).click();
  await page.getByLabel("Name").fill("Rex");
  await page.getByRole("dialog").getByLabel("Category").fill("1");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("This needs a key with the scope write; the scope of this one is read.").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByText("Keys are for admins").waitFor();
});
