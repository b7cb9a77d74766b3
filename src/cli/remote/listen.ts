import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Event } from "../../../packages/client/src/generated.ts";
import { escapeControls } from "../../base/escape-controls.ts";
import { parseJson, toJson } from "../../base/json.ts";
import { hostOf } from "../../base/network.ts";
import { parseHttpUrl, setting } from "../../config.ts";
import { generateWebhookSecret, secretPrefix } from "../../domain/webhook.ts";
import { AddressGuard } from "../../webhooks/address-guard.ts";
import { type Attempt, Sender, type SentEvent } from "../../webhooks/sender.ts";
import { untilInterrupted } from "../terminal/interruption.ts";
import type { Paint } from "../terminal/style.ts";
import { remoteCommand } from "./remote-command.ts";
import { cursorOf, fromSetting, subjectSetting, typeSetting } from "./settings.ts";

/**
 * No webhook is made in the service, and no port is opened here: the events come by the stream that this program follows, and
 * leave it as the service would send them. So it works from any laptop, and there is nothing to remove at the end.
 */
export const listenCommand = remoteCommand({
  name: "listen",
  summary: "Forward events to a URL on this machine as a webhook would, until you press Ctrl-C.",
  details:
    "The service does not have to reach this machine, and no webhook is created: the events are read from the event stream, signed here, and sent with the body and the headers of a webhook, one at a time, once each.",
  settings: {
    forwardTo: setting((text) => parseHttpUrl(text)?.href, {
      flag: "forward-to",
      placeholder: "URL",
      help: "The URL that events are sent to, such as http://localhost:3000/hooks.",
      expects: "an http or https URL, such as http://localhost:3000/hooks",
      isRequired: true,
    }),
    secret: setting(parseSecret, {
      flag: "secret",
      placeholder: "SECRET",
      help: "The signing secret: whsec_ and base64. By default a new one, which is printed.",
      expects: "whsec_ and 24 to 64 bytes in base64",
      secret: true,
    }),
    type: typeSetting,
    subject: subjectSetting,
    from: fromSetting("latest"),
  } as const,
  async run({ settings: { forwardTo, secret = generateWebhookSecret(), type, subject, from }, output, store }) {
    const signal = untilInterrupted();
    const { events } = store;
    const stream = events.stream({ type, subject, cursor: cursorOf(from) }, { signal });
    if (output.isForPeople) output.note(`Sending events to ${forwardTo}, signed with ${secret}. Press Ctrl-C to stop.`);
    else await output.text(toJson({ forwardTo, secret }), { forwardTo, secret });
    for await (const body of stream.texts()) {
      const { id, type: kind, subject: about } = parseJson(body) as Event;
      const attempt = await send(forwardTo, secret, { id, body }, signal);
      const { status, error, durationMs } = attempt;
      const told = { event: id, type: kind, subject: about, status, error, durationMs };
      await output.entry(
        toJson(told),
        (paint) => `${outcomeOf(attempt, paint)}  ${escapeControls(`${kind}  ${about}  ${id}`)}`,
      );
    }
    return undefined;
  },
});

function parseSecret(text: string): string | undefined {
  if (!text.startsWith(secretPrefix)) return undefined;
  const base64 = text.slice(secretPrefix.length);
  const bytes = Buffer.from(base64, "base64");
  return bytes.toString("base64") === base64 && bytes.length >= 24 && bytes.length <= 64 ? text : undefined;
}

/** A development server may listen on only one of the addresses that `localhost` has. */
async function send(url: string, secret: string, event: SentEvent, signal: AbortSignal): Promise<Attempt> {
  const addresses = await addressesOf(hostOf(new URL(url)));
  return await sendToAny(addresses, url, secret, event, signal);
}

/** Sends it to the first address at which there is somebody, who may have received it also if no answer comes. */
export async function sendToAny(
  [address, ...others]: readonly string[],
  url: string,
  secret: string,
  event: SentEvent,
  signal: AbortSignal,
): Promise<Attempt> {
  const sender = new Sender({
    guard: anywhere,
    clock: Date.now,
    stopwatch: () => performance.now(),
    resolve: async () => (address === undefined ? [] : [address]),
  });
  const attempt = await sender.send(url, [secret], event, limitMs, signal);
  return attempt.isUnreached && others.length > 0 ? await sendToAny(others, url, secret, event, signal) : attempt;
}

/** As long as the service waits for a receiver. */
const limitMs = 15_000;

/** Whoever runs this program may send what they like from their own machine. */
const anywhere = new AddressGuard(["0.0.0.0/0", "::/0"]);

/** None if there is no such host. */
async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host)) return [host];
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.toSorted((one, other) => one.family - other.family).map(({ address }) => address);
}

function outcomeOf({ isDelivered, status, error }: Attempt, paint: Paint): string {
  return paint(isDelivered ? "green" : "red", status === null ? escapeControls(`failed (${error})`) : String(status));
}
