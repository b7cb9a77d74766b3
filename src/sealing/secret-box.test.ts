import { expect, test } from "bun:test";
import { parseWebhookKey, SecretBox, type WebhookKey } from "./secret-box.ts";

const random = Buffer.alloc(32, 1).toString("base64");
const requireWebhookKey = (text: string) => parseWebhookKey(text) as WebhookKey;

test("a webhook key is 32 bytes in base64, or a passphrase of at least 16 characters", () => {
  expect(parseWebhookKey(random)).toEqual({ bytes: Buffer.alloc(32, 1) });
  expect(parseWebhookKey("correct horse 🐈")).toBeUndefined();
  expect(parseWebhookKey("correct horse 🐈🐈")).toEqual({ passphrase: "correct horse 🐈🐈" });
});

test("any process with the same key can open a sealed secret", async () => {
  for (const text of [random, "correct horse battery"]) {
    const box = new SecretBox(requireWebhookKey(text));
    const sealed = await box.seal("whsec_1");
    expect(sealed).not.toContain("whsec");
    expect(await new SecretBox(requireWebhookKey(text)).open(sealed)).toBe("whsec_1");
    expect(await box.seal("whsec_1")).not.toBe(sealed);
  }
});

test("a sealed secret cannot be opened with another key or after a change", async () => {
  const box = new SecretBox(requireWebhookKey(random));
  const sealed = await box.seal("whsec_1");
  expect(await new SecretBox(requireWebhookKey(Buffer.alloc(32, 2).toString("base64"))).open(sealed)).toBeUndefined();
  const changed = `${sealed.slice(0, -2)}${sealed.at(-2) === "A" ? "B" : "A"}${sealed.at(-1)}`;
  for (const wrong of [changed, sealed.replace("v1", "v2"), "", "v1.short"]) {
    expect(await box.open(wrong)).toBeUndefined();
  }
});

test("a failed derivation from a passphrase is retried on the next use", async () => {
  let attemptCount = 0;
  const box = new SecretBox(requireWebhookKey("correct horse battery"), async () => {
    if (attemptCount++ === 0) throw new Error("There is no memory left.");
    return Buffer.alloc(32, 1);
  });
  await expect(box.seal("whsec_1")).rejects.toThrow("no memory");
  expect(await box.open(await box.seal("whsec_1"))).toBe("whsec_1");
  expect(attemptCount).toBe(2);
});
