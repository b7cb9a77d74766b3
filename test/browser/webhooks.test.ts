import { expect } from "bun:test";
import { failedRequestPattern, findAxeViolationsByLook, step, test, visit } from "../support/browser.ts";
import { addKey } from "../support/keys.ts";
import { isSignedWith, Receiver } from "../support/receiver.ts";
import { until } from "../support/wait.ts";
import { addPets, addWebhook, getWebhook, renamePet, webhookOptions } from "../support/webhooks.ts";
import { clickButtons } from "./gestures.ts";

const parts = { webhooks: webhookOptions };

test("a webhook can be added, tested, changed, disabled and deleted, and its secret can be rotated", async () => {
  await using receiver = await Receiver.start();
  await using visitor = await visit({ path: "/animals", parts, permissions: ["clipboard-read", "clipboard-write"] });
  const { page, service, enter, expectedErrors } = visitor;
  await enter();
  await page.getByRole("link", { name: "Webhooks" }).click();
  await page.getByText("No webhooks yet").waitFor();
  await clickButtons(page, "Add a webhook", "Add webhook");
  await page.getByText("Enter a URL.").waitFor();
  await page.getByLabel("URL").fill("hooks.shop.example");
  expectedErrors.push(failedRequestPattern(400));
  await page.getByRole("button", { name: "Add webhook" }).click();
  await page.getByText("It must be a URL of at most 2048 ASCII characters").waitFor();
  await page.getByLabel("URL").fill(receiver.url);
  await page.getByLabel("Purpose").fill("the window");
  await clickButtons(page, "animals added", "orders placed");
  // After a reload, the form still has its input.
  await page.reload();
  await page.getByRole("button", { name: "Add a webhook" }).click();
  await page.getByText("What you typed was restored.").waitFor();
  await page.getByRole("button", { name: "orders placed", pressed: true }).click();
  await page.getByRole("button", { name: "Add webhook" }).dblclick();
  const secret = await page.getByLabel("The secret").inputValue();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByText("Copied.").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await page.getByRole("button", { name: "I have saved it" }).click();
  expect(await page.content()).not.toContain(secret);
  expect((await service.client.call("/v1/webhooks")).json).toMatchObject([
    { url: receiver.url, types: ["pet.created"], description: "the window" },
  ]);

  await page.getByRole("row", { name: /^1 http.*\/hooks the window enabled pet.created/ }).waitFor();
  await page.getByRole("link", { name: receiver.url }).click();
  await page.getByText("Nothing has been sent yet.").waitFor();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("The test was delivered: the receiver answered with 204").waitFor();
  await page.getByRole("listitem").filter({ hasText: "webhook.test" }).getByText("delivered").waitFor();
  expect(receiver.received.map((received) => isSignedWith(secret, received))).toEqual([true]);

  await page.getByRole("button", { name: "Change" }).click();
  await page.getByLabel("Purpose").fill("the till");
  await service.client.call("/v1/webhooks/1", { method: "PATCH", body: { types: ["pet.deleted"] } });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("definition").filter({ hasText: "the till" }).waitFor();
  // Saving the form keeps another user's change of a different field.
  await page.getByRole("definition").filter({ hasText: "pet.deleted" }).waitFor();
  expect(await getWebhook(service.client)).toMatchObject({ description: "the till", types: ["pet.deleted"] });

  await page.getByRole("button", { name: "Rotate the secret" }).click();
  await page.getByLabel("The old secret").selectOption("works for another week");
  await page.getByRole("button", { name: "Create the new secret" }).dblclick();
  await page.getByRole("dialog", { name: "Secret of webhook 1" }).getByText("The old one works until").waitFor();
  const successor = await page.getByLabel("The secret").inputValue();
  expect(successor).not.toBe(secret);
  await page.getByRole("button", { name: "I have saved it" }).click();
  await page.getByText(/^works until/).waitFor();
  await page.getByRole("button", { name: "Send a test" }).click();
  await receiver.untilReceived(2);
  expect([secret, successor].map((each) => isSignedWith(each, receiver.received[1] as never))).toEqual([true, true]);

  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByRole("dialog").getByText("An admin disabled it").waitFor();
  expect((await getWebhook(service.client)).status).toBe("disabled");
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByRole("dialog").getByText("enabled", { exact: true }).waitFor();

  // The console may refetch the webhook during the deletion, which logs a 404 error.
  expectedErrors.push(failedRequestPattern(404));
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("This cannot be undone.").waitFor();
  await page.getByRole("button", { name: "Keep it" }).click();
  expect((await getWebhook(service.client)).id).toBe(1);
  await clickButtons(page, "Delete", "Delete it");
  await page.getByText("No webhooks yet").waitFor();
  expect((await service.client.call("/v1/webhooks")).json).toEqual([]);
});

test("new deliveries appear without a reload, each with its outcome and a link to the changed resource", async () => {
  await using receiver = await Receiver.start(() => 500);
  await using visitor = await visit({ path: "/webhooks", parts });
  const { page, service, enter } = visitor;
  await addWebhook(service.client, receiver.url);
  await addPets(service.client, 1);
  await enter();
  await page.getByRole("row", { name: /failing Every attempt has failed since/ }).waitFor();
  await page.getByRole("link", { name: receiver.url }).click();
  // The service retries automatically after five seconds.
  const latest = page.getByRole("listitem").first();
  const failedAttemptPattern =
    /^pet\.created Animal 0.*failed attempt 2, \d+ ms.*The receiver answered with 500\.Next attempt: \w/;
  await latest.filter({ hasText: failedAttemptPattern }).waitFor();
  // Only the latest attempt for an event can be retried.
  expect(await page.getByRole("button", { name: /^Retry/ }).count()).toBe(1);
  receiver.respondWith(() => 204);
  await page.getByRole("button", { name: /^Retry/ }).click();
  await latest.filter({ hasText: /delivered 204, attempt 3/ }).waitFor();
  await page.getByRole("dialog").getByText("enabled", { exact: true }).waitFor();
  expect(await page.getByRole("button", { name: /^Retry/ }).count()).toBe(0);

  await page.getByRole("link", { name: "Animal 0" }).first().click();
  await page.getByRole("dialog", { name: "Animal 0" }).getByLabel("Name").waitFor();
  expect(await page.getByRole("dialog").count()).toBe(1);
  await page.goBack();
  await page.getByRole("heading", { name: "Deliveries" }).waitFor();
});

test("a replay asks for confirmation, and either sends all events again or skips the pending events", async () => {
  await using receiver = await Receiver.start();
  await using visitor = await visit({ path: "/webhooks?webhook=1", parts });
  const { page, service, enter } = visitor;
  await addPets(service.client, 2);
  await addWebhook(service.client, receiver.url);
  await enter();
  await page.getByText("Nothing has been sent yet.").waitFor();
  await clickButtons(page, "Replay", "Leave it");
  await page.getByRole("dialog", { name: "Replay" }).waitFor({ state: "detached" });
  expect(receiver.received).toEqual([]);
  await page.getByRole("button", { name: "Replay" }).click();
  await page.getByRole("button", { name: "Send everything again" }).dblclick();
  await page.getByText("Everything that is still in the log is sent again.").waitFor();
  await receiver.untilReceived(2);
  expect(receiver.received.map(({ event }) => event.subject).sort()).toEqual(["pets/1", "pets/2"]);
  await page.getByRole("listitem").filter({ hasText: "pet.created Animal 1" }).waitFor();

  await page.getByRole("button", { name: "Disable" }).click();
  await page.getByText("An admin disabled it").last().waitFor();
  await renamePet(service.client, 1, "Rex");
  await page.getByRole("button", { name: "Replay" }).click();
  await page.getByLabel("From the end").check();
  await page.getByRole("button", { name: "Skip to the end" }).click();
  await page.getByText("Events so far are skipped.").waitFor();
  await page.getByRole("button", { name: "Enable" }).click();
  await renamePet(service.client, 2, "Mia");
  const updated = () => receiver.received.filter(({ event }) => event.type === "pet.updated");
  await until(() => updated().some(({ event }) => event.subject === "pets/2"));
  expect(updated().map(({ event }) => event.subject)).toEqual(["pets/2"]);
});

test("only admins can manage webhooks, and a service that cannot encrypt secrets refuses to add a webhook", async () => {
  await using visitor = await visit({
    path: "/webhooks",
    expectedErrors: [failedRequestPattern(409), failedRequestPattern(400)],
  });
  const { page, service, enter, signIn } = visitor;
  await enter((await addKey(service.store, { name: "till", scope: "write" })).key);
  await page.getByText("Only admins can manage webhooks").waitFor();
  await page.getByText("Your key has the scope write. Sign in with one that has the scope admin").waitFor();
  expect(await page.getByRole("link", { name: "Webhooks" }).count()).toBe(0);
  await page.keyboard.press("Control+K");
  await page.getByRole("option", { name: "Go to activity" }).waitFor();
  expect(await page.getByRole("option", { name: /Go to (keys|webhooks)/ }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await clickButtons(page, "Your key", "Sign out");
  await signIn();
  await page.getByRole("button", { name: "Add a webhook" }).click();
  await page.getByLabel("URL").fill("http://hooks.shop.example/animals");
  await page.getByRole("button", { name: "Add webhook" }).click();
  await page.locator(".field", { hasText: "URL" }).getByText("It must begin with https://.", { exact: true }).waitFor();
  await page.getByLabel("URL").fill("https://hooks.shop.example/animals");
  await page.getByRole("button", { name: "Add webhook" }).click();
  await page.getByText("Webhooks are not set up: the service has no key for their secrets.").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByText("No webhooks yet").waitFor();
});

test("the webhook views pass the accessibility checks, in light and dark, on a desktop and a phone", async () => {
  await using receiver = await Receiver.start(() => 500);
  await using visitor = await visit({ path: "/webhooks", parts });
  const { page, service, enter } = visitor;
  const expectNoViolations = async () => expect(await findAxeViolationsByLook(page)).toEqual([]);
  await addWebhook(service.client, receiver.url, ["pet.created", "order.placed"]);
  await addPets(service.client, 1);
  await enter();
  await page.getByRole("row", { name: /failing/ }).waitFor();
  await step("the list of webhooks passes the accessibility checks", expectNoViolations);
  await clickButtons(page, "Add a webhook", "animals added", "Add webhook");
  await step("a form with a complaint passes the accessibility checks", expectNoViolations);
  await page.getByLabel("URL").fill(receiver.url);
  await page.getByRole("button", { name: "Add webhook" }).click();
  await page.getByLabel("The secret").waitFor();
  await step("the dialog with a new secret passes the accessibility checks", expectNoViolations);
  await page.getByRole("button", { name: "I have saved it" }).click();
  await page.getByRole("link", { name: receiver.url }).first().click();
  await page.getByRole("button", { name: /^Retry/ }).waitFor();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("The test failed. The receiver answered with 500.").waitFor();
  await step("a webhook whose test has failed passes the accessibility checks", expectNoViolations);
  for (const question of ["Change", "Rotate the secret", "Replay", "Delete"]) {
    await page.getByRole("button", { name: question }).click();
    await page.getByRole("dialog", { name: question }).waitFor();
    await step(`the dialog ${question} passes the accessibility checks`, expectNoViolations);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: question }).waitFor({ state: "detached" });
  }
});
