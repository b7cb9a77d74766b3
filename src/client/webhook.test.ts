import { describe, expect, setSystemTime, test } from "bun:test";
import { createHmac } from "node:crypto";
import { WebhookVerificationError } from "./errors.ts";
import { verifyWebhook } from "./webhook.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const other = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const body = '{"type":"pet.created","data":{"id":1,"categoryId":9223372036854775807}}';

function headersOf(
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

const bytes = (text: string) => new TextEncoder().encode(text);

describe("a webhook", () => {
  test("is the event that was signed, with its integers exact", async () => {
    const event = { type: "pet.created", data: { id: 1, categoryId: 9223372036854775807n } };
    for (const headers of [headersOf(), new Headers(headersOf())])
      expect(await verifyWebhook(bytes(body), headers, secret)).toEqual(event as never);
    expect(await verifyWebhook(bytes(body).buffer, headersOf(), secret)).toEqual(event as never);
    const rotated = headersOf(body, { secrets: [other, secret] });
    expect(await verifyWebhook(bytes(body), rotated, secret)).toEqual(event as never);
  });

  test("may come with its headers in upper case", async () => {
    const loud = Object.entries(headersOf()).map(([name, value]) => [name.toUpperCase(), value]);
    expect(await verifyWebhook(bytes(body), Object.fromEntries(loud), secret)).toHaveProperty("type", "pet.created");
  });

  test.each(["", "whsec_", "whsec_%", undefined, null])(
    "is not compared with the secret %p, which is none",
    async (none) => {
      const check = verifyWebhook(bytes(body), headersOf(), none as never);
      expect(await check.catch(String)).toBe("TypeError: The secret of a webhook is whsec_ and base64.");
    },
  );

  test("is the one of the reference of Standard Webhooks", async () => {
    setSystemTime(new Date(1_614_265_330_000));
    try {
      const headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      };
      expect(await verifyWebhook(bytes('{"test": 2432232314}'), headers, secret)).toEqual({
        test: 2432232314,
      } as never);
    } finally {
      setSystemTime();
    }
  });

  test.each([
    ["with another body", `${body} `, headersOf()],
    ["signed with another secret", body, headersOf(body, { secrets: [other] })],
    ["signed 301 seconds ago", body, headersOf(body, { ageSeconds: 301 })],
    ["signed in 302 seconds", body, headersOf(body, { ageSeconds: -302 })],
    ["with another id", body, { ...headersOf(), "webhook-id": "evt_2" }],
    ["with a signature that is none", body, { ...headersOf(), "webhook-signature": "v1,*" }],
    [
      "with a signature of another version",
      body,
      { ...headersOf(), "webhook-signature": headersOf()["webhook-signature"]?.replace("v1,", "v2,") },
    ],
    ["with a time that is none", body, { ...headersOf(), "webhook-timestamp": "now" }],
    ["without a signature", body, { ...headersOf(), "webhook-signature": undefined }],
  ])("%s is refused", async (_, sent, headers) => {
    const failure = await verifyWebhook(bytes(sent), headers, secret).catch((error) => error);
    expect(failure).toBeInstanceOf(WebhookVerificationError);
    expect(failure.mayHaveSucceeded).toBe(false);
  });

  test("that is not UTF-8 is no event, whoever signed it", async () => {
    const broken = Uint8Array.from([...bytes('{"name":"'), 0xff, ...bytes('"}')]);
    const failure = await verifyWebhook(broken, headersOf(broken), secret).catch((error) => error);
    expect(failure).toBeInstanceOf(TypeError);
  });

  test("is taken as bytes alone", async () => {
    const failure = await verifyWebhook(body as unknown as Uint8Array, headersOf(), secret).catch((error) => error);
    expect(failure).toBeInstanceOf(TypeError);
  });
});
