import { createSocket } from "node:dgram";
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { deriveSlowly } from "../../src/sealing/cipher.ts";
import { AddressGuard } from "../../src/webhooks/address-guard.ts";
import { Sender } from "../../src/webhooks/sender.ts";
import { Receiver } from "./receiver.ts";

/**
 * Acts as the name servers of a network namespace, which ignore questions about `silent` names. First, sends an event to a host that only
 * the second name server knows, after that server has replaced the first one. Then starts more lookups of silent names than the runtime
 * has threads, and sends an event to a known host and derives a key, neither of which may wait for those lookups. Prints which events
 * were delivered, and how many sends to silent names had ended by then.
 */
const firstSilent = Promise.withResolvers<void>();
await serveNames("127.0.0.1", (question) => !question.includes("moved"));
await serveNames("127.0.0.2", () => true);
await using receiver = await Receiver.start();
const setNameServer = (address: string) =>
  // 30 seconds is the maximum timeout in resolv.conf, and far longer than the test takes.
  writeFileSync("resolv.conf", `nameserver ${address}\noptions timeout:30\n`);
setNameServer("127.0.0.1");
const parts = { guard: new AddressGuard(["127.0.0.0/8"]), clock: Date.now, stopwatch: Date.now };
const sender = new Sender(parts);
const send = (host: string) => sender.send(`http://${host}:${receiver.port}/`, [], { id: "1", body: "{}" }, 600_000);

const knownResult = await send("known.example");
setNameServer("127.0.0.2");
const movedResult = await send("moved.example");
const silentCount = 8 * availableParallelism();
let abandonedCount = 0;
for (let index = 0; index < silentCount; index++) send(`silent${index}.example`).then(() => abandonedCount++);
await firstSilent.promise;
const resultsMeanwhile = await Promise.all([
  send("known.example"),
  deriveSlowly(Buffer.from("word"), Buffer.alloc(16)),
]);
const areDelivered = [knownResult, movedResult, resultsMeanwhile[0]].map(({ isDelivered }) => isDelivered);
process.stdout.write(JSON.stringify({ areDelivered, abandonedCount }), () => process.exit());

async function serveNames(address: string, isKnown: (question: Buffer) => boolean): Promise<void> {
  const server = createSocket("udp4");
  server.on("message", (question, peer) => {
    if (question.includes("silent")) firstSilent.resolve();
    else server.send(createDnsResponse(question, isKnown(question)), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => server.bind(53, address, resolve));
}

/** Returns a DNS response: the address 127.0.0.1 for a known name, or the error that the name does not exist. */
function createDnsResponse(question: Buffer, isKnown: boolean): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const hasAddress = isKnown && question.readUInt16BE(end - 4) === 1;
  const status = isKnown ? 0x80 : 0x83;
  const head = Buffer.from([...question.subarray(0, 2), 0x81, status, 0, 1, 0, hasAddress ? 1 : 0, 0, 0, 0, 0]);
  const record = hasAddress ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1] : [];
  return Buffer.concat([head, question.subarray(12, end), Buffer.from(record)]);
}
