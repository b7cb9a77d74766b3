import { expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { makeDatabase, urlOf } from "../support/database.ts";
import { RunningProgram, runProgram } from "../support/program.ts";
import { isSignedWith, Receiver } from "../support/receiver.ts";
import { until } from "../support/wait.ts";
import { addPets, addWebhook, fetchDeliveries, getWebhook } from "../support/webhooks.ts";

const environment = { ANIMAL_STORE_WEBHOOK_KEY: "a passphrase for tests", WEBHOOK_ALLOW: "127.0.0.0/8" };

test("when the delivering instance is killed, another instance takes over, and no event is lost", async () => {
  await using database = await makeDatabase("postgres");
  // The receiver does not respond to the third event, so the first instance cannot finish that delivery.
  let isHanging = true;
  await using receiver = await Receiver.start(({ event }) => (isHanging && event.subject === "pets/3" ? "hang" : 204));
  await using first = await RunningProgram.start(urlOf(database), { environment });
  const { secret } = await addWebhook(first.client, receiver.url, ["pet.created"]);
  await addPets(first.client, 2);
  await receiver.untilReceived(2);
  await using second = await RunningProgram.start(urlOf(database), { environment });
  await addPets(first.client, 3);
  await until(() => receiver.ids.length === 5);
  await first.signal("SIGKILL");
  isHanging = false;
  await addPets(second.client, 5);
  await until(() => receiver.ids.length === 10);
  const isThird = (received: (typeof receiver.received)[number]) => received.event.subject === "pets/3";
  await until(() => receiver.received.filter(isThird).length > 1);
  await until(async () => (await fetchDeliveries(second.client)).some(({ subject }) => subject === "pets/10"));
  const subjects = receiver.received.map(({ event }) => event.subject);
  expect([...new Set(subjects)].sort()).toEqual(Array.from({ length: 10 }, (_, index) => `pets/${index + 1}`).sort());
  const attempts = receiver.received.filter(isThird);
  expect(new Set(attempts.map(({ body }) => body)).size).toBe(1);
  for (const received of receiver.received) expect(isSignedWith(secret, received)).toBe(true);
  expect(await getWebhook(second.client)).toMatchObject({ status: "enabled", failingSince: null });
});

test("instances share the deliveries, and when one instance stops, the other takes over its deliveries", async () => {
  await using database = await makeDatabase("postgres");
  await using receiver = await Receiver.start();
  await using first = await RunningProgram.start(urlOf(database), { environment });
  await using second = await RunningProgram.start(urlOf(database), { environment });
  for (let made = 0; made < 3; made++) await addWebhook(second.client, `${receiver.url}/${made}`, ["pet.created"]);
  await addPets(first.client, 4);
  await until(() => receiver.received.length === 12);
  expect(await first.signal("SIGTERM")).toBe(0);
  await addPets(second.client, 4);
  await until(() => receiver.received.length >= 24);
  for (let made = 0; made < 3; made++) {
    const sent = receiver.received.filter(({ path }) => path === `/hooks/${made}`).map(({ event }) => event.subject);
    expect([...new Set(sent)].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((id) => `pets/${id}`));
  }
});

test("events are sent directly to their receivers, even if the environment names a proxy", async () => {
  await using receiver = await Receiver.start();
  await using proxy = await ConnectionCounter.start();
  await using encrypted = await ConnectionCounter.start();
  const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  const named = Object.fromEntries(proxies.map((name) => [name, `http://127.0.0.1:${proxy.port}`]));
  await using program = await RunningProgram.startNew({
    environment: { ...environment, ...named, NO_PROXY: "", no_proxy: "" },
  });
  await addWebhook(program.client, receiver.url);
  await addWebhook(program.client, `https://127.0.0.1:${encrypted.port}`);
  await addPets(program.client, 1);
  await receiver.untilReceived(1);
  await until(() => encrypted.count > 0);
  expect(proxy.count).toBe(0);
});

test("serve with an invalid webhook key or network fails with errors that say which values are valid", async () => {
  const outcome = await runProgram(["serve", "--port", "0", "--webhook-allow", "10.0.0.0/33"], {
    environment: { ANIMAL_STORE_WEBHOOK_KEY: "short" },
  });
  expect(outcome).toMatchObject({ stdout: "", exitCode: 2 });
  expect(outcome.stderr).toContain(
    "ANIMAL_STORE_WEBHOOK_KEY must be 32 bytes in base64, or a passphrase of 16 characters or more.",
  );
  expect(outcome.stderr).toContain(
    '--webhook-allow must be one or more addresses or networks such as 10.0.0.0/8, separated by commas or spaces, not "10.0.0.0/33".',
  );
  expect(outcome.stderr).not.toContain("short");
});

class ConnectionCounter implements AsyncDisposable {
  count = 0;
  readonly #server = createServer((socket) => {
    this.count++;
    socket.destroy();
  });

  static async start(): Promise<ConnectionCounter> {
    const connections = new ConnectionCounter();
    await once(connections.#server.listen(0, "127.0.0.1"), "listening");
    return connections;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
  }
}
