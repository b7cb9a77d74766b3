import { expect, setSystemTime, test } from "bun:test";
import { createHmac } from "node:crypto";
import { WebhookVerificationError } from "./errors.ts";
import { verifyWebhook } from "./webhook.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const otherSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const body = '{"type":"pet.created","data":{"id":1,"categoryId":9223372036854775807}}';

function createSignedHeaders(
  signedBody: string | Uint8Array = body,
  { ageSeconds = 0, secrets = [secret] } = {},
): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1_000) - ageSeconds);
  const signatures = secrets.map((each) => {
    const key = Buffer.from(each.slice("whsec_".length), "base64");
    return `v1,${createHmac("sha256", key).update(`evt_1.${timestamp}.`).update(signedBody).digest("base64")}`;
  });
  return { "webhook-id": "evt_1", "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

/** A body and its headers. The signature contains `+` or `/`, which base64url encodes differently. */
const webhookWithPlusOrSlash = (() => {
  for (let blanks = ""; ; blanks += " ") {
    const headers = createSignedHeaders(body + blanks);
    if (/[+/]/.test(headers["webhook-signature"] ?? "")) return { sentBody: body + blanks, headers };
  }
})();

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Changes the last character of a signature by a bit that base64 does not use. */
const setUnusedBit = (signature: string) =>
  `${signature.slice(0, -2)}${alphabet[alphabet.indexOf(signature.at(-2) ?? "") + 1]}=`;

const encode = (text: string) => new TextEncoder().encode(text);

test("verifyWebhook returns the signed event with exact integers", async () => {
  const event = { type: "pet.created", data: { id: 1, categoryId: 9223372036854775807n } };
  for (const headers of [createSignedHeaders(), new Headers(createSignedHeaders())])
    expect(await verifyWebhook(encode(body), headers, secret)).toEqual(event as never);
  expect(await verifyWebhook(encode(body).buffer, createSignedHeaders(), secret)).toEqual(event as never);
  expect(await verifyWebhook(body, createSignedHeaders(), secret)).toEqual(event as never);
  const rotated = createSignedHeaders(body, { secrets: [otherSecret, secret] });
  expect(await verifyWebhook(encode(body), rotated, secret)).toEqual(event as never);
});

test("verifyWebhook accepts headers in upper case", async () => {
  const entries = Object.entries(createSignedHeaders()).map(([name, value]) => [name.toUpperCase(), value]);
  expect(await verifyWebhook(encode(body), Object.fromEntries(entries), secret)).toHaveProperty("type", "pet.created");
});

test.each([
  ...["", "whsec_", "whsec_%", undefined, null],
  ...[secret.replace("whsec_", ""), `${secret}\n`, ` ${secret}`, `${secret}====`],
  ...[3, 23, 65].map((length) => `whsec_${Buffer.alloc(length, 7).toString("base64")}`),
  `whsec_${Buffer.alloc(32, 0xff).toString("base64url")}`,
  `whsec_${Buffer.alloc(32, 7).toString("base64").replace("=", "")}`,
  `whsec_${Buffer.alloc(32).toString("base64").replace("A=", "B=")}`,
])("verifyWebhook throws TypeError for %p, which is not a secret", async (given) => {
  const check = verifyWebhook(encode(body), createSignedHeaders(), given as never);
  expect(await check.catch(String)).toBe(
    "TypeError: The secret of a webhook must be whsec_ and 24 to 64 bytes in base64.",
  );
});

test.each([24, 32, 64])("verifyWebhook accepts a secret of %d bytes", async (length) => {
  const longSecret = `whsec_${Buffer.alloc(length, 0xfb).toString("base64")}`;
  const headers = createSignedHeaders(body, { secrets: [longSecret] });
  expect(await verifyWebhook(body, headers, longSecret)).toHaveProperty("type", "pet.created");
});

test("verifyWebhook accepts the example of the Standard Webhooks specification", async () => {
  setSystemTime(new Date(1_614_265_330_000));
  try {
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const event = await verifyWebhook(encode('{"test": 2432232314}'), headers, secret);
    expect(event).toEqual({ test: 2432232314 } as never);
  } finally {
    setSystemTime();
  }
});

test.each([
  ["with another body", `${body} `, createSignedHeaders()],
  ["signed with another secret", body, createSignedHeaders(body, { secrets: [otherSecret] })],
  ["signed 301 seconds ago", body, createSignedHeaders(body, { ageSeconds: 301 })],
  ["signed 302 seconds in the future", body, createSignedHeaders(body, { ageSeconds: -302 })],
  ["with another id", body, { ...createSignedHeaders(), "webhook-id": "evt_2" }],
  ["with an invalid signature", body, { ...createSignedHeaders(), "webhook-signature": "v1,*" }],
  [
    "with a signature of another version",
    body,
    {
      ...createSignedHeaders(),
      "webhook-signature": createSignedHeaders()["webhook-signature"]?.replace("v1,", "v2,"),
    },
  ],
  ...(
    [
      ["without v1,", (signature) => signature.replace("v1,", "")],
      ["with v1, twice", (signature) => `v1,${signature}`],
      ["without padding", (signature) => signature.replace("=", "")],
      ["with a bit that belongs to no byte", setUnusedBit],
      ["with a blank in it", (signature) => `${signature.slice(0, 9)} ${signature.slice(9)}`],
      ["with a tab in it", (signature) => `${signature.slice(0, 9)}\t${signature.slice(9)}`],
      ["after two blanks", (signature) => `v1,x  ${signature}`],
      ["before a blank", (signature) => `${signature} `],
      ["in base64url", (signature) => signature.replaceAll("+", "-").replaceAll("/", "_")],
    ] as [string, (signature: string) => string][]
  ).map(([description, change]): [string, string, Record<string, string>] => [
    `with a signature ${description}`,
    webhookWithPlusOrSlash.sentBody,
    {
      ...webhookWithPlusOrSlash.headers,
      "webhook-signature": change(webhookWithPlusOrSlash.headers["webhook-signature"] ?? ""),
    },
  ]),
  ["with an invalid time", body, { ...createSignedHeaders(), "webhook-timestamp": "now" }],
  ["without a signature", body, { ...createSignedHeaders(), "webhook-signature": undefined }],
])("verifyWebhook rejects a webhook %s", async (_, sentBody, headers) => {
  const error = await verifyWebhook(encode(sentBody), headers, secret).catch((error) => error);
  expect(error).toBeInstanceOf(WebhookVerificationError);
  expect(error.mayHaveSucceeded).toBe(false);
});

test("verifyWebhook throws TypeError for a signed body that is not UTF-8", async () => {
  const broken = Uint8Array.from([...encode('{"name":"'), 0xff, ...encode('"}')]);
  const error = await verifyWebhook(broken, createSignedHeaders(broken), secret).catch((error) => error);
  expect(error).toBeInstanceOf(TypeError);
});

test("verifyWebhook throws TypeError for a parsed body", async () => {
  const error = await verifyWebhook(JSON.parse(body), createSignedHeaders(), secret).catch((error) => error);
  expect(error).toBeInstanceOf(TypeError);
});
