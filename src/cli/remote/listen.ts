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
import { createInterruptSignal } from "../terminal/interruption.ts";
import { remoteCommand } from "./remote-command.ts";
import { fromSetting, subjectSetting, toCursor, typeSetting } from "./settings.ts";

export const listenCommand = remoteCommand({
  name: "listen",
  summary: "Forward events to a URL on this machine as a webhook would, until you press Ctrl-C.",
  details:
    "The service does not have to reach this machine, and no webhook is created: the events are read from the event stream, signed here, and sent with the body and the headers of a webhook, one at a time, once each.",
  settings: {
    forwardTo: setting("--forward-to URL", (text) => parseHttpUrl(text)?.href, {
      help: "The URL that events are sent to, such as http://localhost:3000/hooks.",
      expects: "an http or https URL, such as http://localhost:3000/hooks",
      isRequired: true,
    }),
    secret: setting("--secret SECRET", parseSecret, {
      help: "The signing secret: whsec_ and base64. By default a new one, which is printed.",
      expects: "whsec_ and 24 to 64 bytes in base64",
      isSecret: true,
    }),
    type: typeSetting,
    subject: subjectSetting,
    from: fromSetting("latest"),
  },
  async run({ settings: { forwardTo, secret = generateWebhookSecret(), type, subject, from }, output, store }) {
    const signal = createInterruptSignal();
    const stream = store.events.stream({ type, subject, cursor: toCursor(from) }, { signal });
    if (output.isForPeople) output.note(`Sending events to ${forwardTo}, signed with ${secret}. Press Ctrl-C to stop.`);
    else await output.print(toJson({ forwardTo, secret }), { forwardTo, secret });
    for await (const body of stream.texts()) {
      const event = parseJson(body) as Event;
      const addresses = await resolveAddresses(hostOf(new URL(forwardTo)));
      const attempt = await sendToAny(addresses, forwardTo, secret, { id: event.id, body }, signal);
      const { status, error, durationMs, isDelivered } = attempt;
      const line = { event: event.id, type: event.type, subject: event.subject, status, error, durationMs };
      await output.printEntry(toJson(line), (paint) => {
        const outcome = status === null ? escapeControls(`failed (${error})`) : String(status);
        const text = escapeControls(`${event.type}  ${event.subject}  ${event.id}`);
        return `${paint(isDelivered ? "green" : "red", outcome)}  ${text}`;
      });
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

/** Returns no addresses for an unknown host, and all for `localhost`: a development server may listen on only one of them. */
async function resolveAddresses(host: string): Promise<string[]> {
  if (isIP(host)) return [host];
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.toSorted((one, other) => one.family - other.family).map(({ address }) => address);
}

/** Sends the event to the first reachable address. If that receiver fails, tries no other, because the receiver may have the event. */
export async function sendToAny(
  [address, ...others]: readonly string[],
  url: string,
  secret: string,
  event: SentEvent,
  signal: AbortSignal,
): Promise<Attempt> {
  const resolve = async () => (address === undefined ? [] : [address]);
  const sender = new Sender({ guard: anyAddress, clock: Date.now, stopwatch: () => performance.now(), resolve });
  const attempt = await sender.send(url, [secret], event, maxResponseMs, signal);
  return attempt.isUnreached && others.length > 0 ? await sendToAny(others, url, secret, event, signal) : attempt;
}

const maxResponseMs = 15_000;

const anyAddress = new AddressGuard(["0.0.0.0/0", "::/0"]);
