import { expect, test } from "bun:test";
import { sendToAny } from "../../src/cli/remote/listen.ts";
import { generateWebhookSecret } from "../../src/domain/webhook.ts";
import {
  endBySignal,
  failure,
  LineReader,
  programKey,
  RunningProgram,
  runProgram,
  spawn,
  spawnOnTerminal,
} from "../support/program.ts";
import { isSignedWith, Receiver } from "../support/receiver.ts";
import { startService, type TestService } from "../support/service.ts";
import { testWith } from "../support/test-with.ts";
import { until } from "../support/wait.ts";
import { addPets, addWebhook, renamePet, webhookOptions } from "../support/webhooks.ts";

const it = testWith(() => startService({}, "sqlite"));

const createEnvironment = ({ client }: Pick<TestService, "client">) => ({
  HOME: "/nowhere",
  ANIMAL_STORE_URL: client.url.origin,
  ANIMAL_STORE_API_KEY: client.key,
});

test("events tail resumes after a restart of the service, without gaps or duplicates", async () => {
  await using first = await RunningProgram.startNew();
  const tail = spawn(["events", "tail", "--from", "beginning"], { environment: createEnvironment(first) });
  const lines = new LineReader(tail.stdout);
  const nextSubject = async () => JSON.parse(await lines.until(/./)).subject;
  await addPets(first.client, 2);
  expect([await nextSubject(), await nextSubject()]).toEqual(["pets/1", "pets/2"]);
  await first.signal("SIGKILL");
  await using second = await RunningProgram.start(first.path, { port: first.client.url.port });
  await addPets(second.client, 2);
  expect([await nextSubject(), await nextSubject()]).toEqual(["pets/3", "pets/4"]);

  expect(await endBySignal(tail, "SIGINT")).toBe(130);
  const [, cursor = ""] = /^To resume from here: --from (\S+)\n$/.exec(await tail.stderr.text()) ?? [];
  await addPets(second.client, 1);
  const later = await runProgram(["events", "list", "--from", cursor], { environment: createEnvironment(second) });
  expect(later.stdout.match(/"subject":"[^"]*"/g)).toEqual(['"subject":"pets/5"']);
  const newest = ["events", "list", "--sort", "-position", "--limit", "2"];
  const { stdout } = await runProgram(newest, { environment: createEnvironment(second) });
  expect(stdout.match(/"subject":"[^"]*"/g)).toEqual(['"subject":"pets/5"', '"subject":"pets/4"']);
});

it("events tail starts with new events, and applies its filters", async (service) => {
  await addPets(service.client, 2);
  const tail = spawnOnTerminal(["events", "tail", "--type", "pet.updated", "--subject", "pets/2"], {
    environment: { ...createEnvironment(service), NO_COLOR: "1" },
  });
  // Renames until the command prints an event, because only an event shows that the command has started to listen.
  let renamed = 0;
  await until(async () => {
    await renamePet(service.client, 1, `One ${++renamed}`);
    await renamePet(service.client, 2, `Two ${renamed}`);
    return tail.shown().includes("pet.updated");
  });
  tail.type("\x03");
  const { shown, exitCode } = await tail.ended();
  expect(exitCode).toBe(130);
  expect(shown).toMatch(
    /^Waiting for events\. Press Ctrl-C to stop\.\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}pet\.updated {7}pets\/2 {7}environment\n/,
  );
  expect(shown).not.toContain("pets/1 ");
  expect(shown).not.toContain("pet.created");
});

test("webhooks listen sends the same bytes as a webhook, signed with a secret of its own", async () => {
  await using webhook = await Receiver.start();
  await using local = await Receiver.start();
  await using service = await startService({ webhooks: webhookOptions }, "sqlite");
  await addWebhook(service.client, webhook.url);
  const body = '{"name": "柴犬 \\u2028 \\"Rex\\"", "categoryId": 9007199254740993}';
  await service.client.call("/v1/pets", { body });
  await service.client.call("/v1/store/orders", { body: { petId: 1 } });
  await webhook.untilReceived(3);

  const listen = spawn(["webhooks", "listen", "--forward-to", `${local.url}?a=1`, "--from", "beginning"], {
    environment: createEnvironment(service),
  });
  const lines = new LineReader(listen.stdout);
  const { secret, forwardTo } = JSON.parse(await lines.until(/./));
  expect(forwardTo).toBe(`${local.url}?a=1`);
  await local.untilReceived(3);
  const [first, second, third] = local.received;
  // The service keeps the order only within each subject.
  const bodiesOf = ({ received }: Receiver) => received.map(({ body: sent }) => sent).toSorted();
  expect(bodiesOf(local)).toEqual(bodiesOf(webhook));
  for (const received of [first, second, third]) expect(received && isSignedWith(secret, received)).toBe(true);
  const names = (received = first) => Object.keys(received?.headers ?? {}).toSorted();
  expect(names()).toEqual(names(webhook.received[0]));
  expect(first?.headers["user-agent"]).toBe(webhook.received[0]?.headers["user-agent"] ?? "");
  expect(first?.path).toBe("/hooks?a=1");
  expect(JSON.parse(await lines.until(/./))).toMatchObject({ type: "pet.created", subject: "pets/1", status: 204 });
  // The command has created no webhook.
  expect(await endBySignal(listen, "SIGINT")).toBe(130);
  expect((await service.client.call("/v1/webhooks")).json).toHaveLength(1);
});

it("webhooks listen shows the receiver's response, and continues after a failure", async (service) => {
  await using local = await Receiver.start(({ event }) => (event.subject === "pets/1" ? 500 : 204));
  await addPets(service.client, 2);
  const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
  const listen = spawnOnTerminal(
    ["webhooks", "listen", "--forward-to", local.url, "--from", "beginning", "--secret", secret],
    { environment: { ...createEnvironment(service), NO_COLOR: "1" }, columns: 200 },
  );
  await until(() => listen.shown().includes("pets/2"));
  listen.type("\x03");
  const { shown, exitCode } = await listen.ended();
  expect(exitCode).toBe(130);
  expect(shown).toStartWith(`Sending events to ${local.url}, signed with ${secret}. Press Ctrl-C to stop.\n`);
  expect(shown).toMatch(/^500 {2}pet\.created {2}pets\/1 {2}evt_\w+$/m);
  expect(shown).toMatch(/^204 {2}pet\.created {2}pets\/2 {2}evt_\w+$/m);
  expect(local.received.every((received) => isSignedWith(secret, received))).toBe(true);
});

it("webhooks listen reports an unreachable receiver, and reaches a receiver that listens on only one address of localhost", async (service) => {
  await addPets(service.client, 1);
  const closed = await Receiver.start();
  const { port } = closed;
  await closed[Symbol.asyncDispose]();
  const startListening = (host: string) =>
    spawn(["webhooks", "listen", "--forward-to", `http://${host}/`, "--from", "beginning"], {
      environment: createEnvironment(service),
    });
  const failing = startListening(`127.0.0.1:${port}`);
  const lines = new LineReader(failing.stdout);
  await lines.until(/secret/);
  expect(JSON.parse(await lines.until(/./))).toMatchObject({ status: null, error: expect.stringMatching(/./) });
  expect(await endBySignal(failing, "SIGTERM")).toBe(143);

  await using local = await Receiver.start(() => 204, { host: "127.0.0.1" });
  const reaching = startListening(`localhost:${local.port}`);
  await local.untilReceived(1);
  expect(await endBySignal(reaching, "SIGINT")).toBe(130);
});

test("webhooks listen tries the next address of a host only if the previous address is unreachable", async () => {
  await using local = await Receiver.start(({ event }) => (event.subject === "pets/1" ? "close" : 204));
  const sendTo = (addresses: readonly string[], subject: string) => {
    const body = JSON.stringify({ id: "evt_1", type: "pet.created", subject });
    const url = `http://localhost:${local.port}/hooks`;
    return sendToAny(addresses, url, generateWebhookSecret(), { id: "evt_1", body }, new AbortController().signal);
  };
  expect(await sendTo(["127.0.0.1", "127.0.0.1"], "pets/1")).toMatchObject({ isUnreached: false, status: null });
  expect(local.received).toHaveLength(1);
  expect(await sendTo(["::1", "127.0.0.1"], "pets/2")).toMatchObject({ isDelivered: true });
});

test.each(["whsec_", "whsec_short", "secret", `whsec_${"A".repeat(100)}`])(
  "webhooks listen refuses the secret %s, and does not print it",
  async (secret) => {
    const args = ["webhooks", "listen", "--forward-to", "http://127.0.0.1:1", `--secret=${secret}`];
    expect(await runProgram(args, { environment: { HOME: "/nowhere", ANIMAL_STORE_API_KEY: programKey } })).toEqual(
      failure("--secret must be whsec_ and 24 to 64 bytes in base64."),
    );
  },
);
