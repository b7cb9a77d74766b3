import { SettingsError, setting, textSetting } from "../../config.ts";
import { type EventType, eventTypes } from "../../domain/event.ts";
import { webhookStatuses } from "../../domain/webhook.ts";
import type { CommandGroup } from "../command.ts";
import { durationSetting } from "../terminal/time.ts";
import { deliveryColumns, webhookColumns, webhookDetails } from "./columns.ts";
import { listenCommand } from "./listen.ts";
import { deleteCommand, getCommand, itemCommand, limitSetting, listCommand, remoteCommand } from "./remote-command.ts";
import { idempotencySetting, idOperand, statusSetting } from "./settings.ts";

const webhookId = idOperand("webhook", "webhooks list");
const writeSettings = { idempotencyKey: idempotencySetting };

const changeSettings = {
  to: textSetting({
    flag: "to",
    placeholder: "URL",
    help: "The URL that events are sent to.",
    expects: "an https URL",
  }),
  types: setting(parseTypes, {
    flag: "type",
    placeholder: "TYPE",
    help: "An event type to send, such as pet.created, or all. Repeat the flag for more.",
    expects: `all, or one or more of ${eventTypes.join(", ")}`,
    choices: ["all", ...eventTypes],
    isRepeatable: true,
  }),
  description: textSetting({
    flag: "description",
    help: "What it is for.",
  }),
};

export const webhooksCommands: CommandGroup = {
  name: "webhooks",
  summary: "List, show, create, change, test and delete webhooks, and try one out on this machine.",
  commands: [
    listCommand({
      name: "list",
      summary: "List webhooks.",
      columns: webhookColumns,
      call:
        ({ webhooks }) =>
        (page) =>
          webhooks.list(page),
    }),
    getCommand("a webhook", webhookId, webhookDetails, ({ webhooks }, id) => webhooks.get(id)),
    itemCommand({
      name: "create",
      summary: "Create a webhook. Its secret is shown only once.",
      settings: { ...changeSettings, to: { ...changeSettings.to, isRequired: true }, ...writeSettings } as const,
      columns: [...webhookDetails, { title: "SECRET", field: "secret" }],
      call: ({ webhooks }, { to, types, description, idempotencyKey }) =>
        webhooks.create({ url: to, types, description }, { idempotencyKey }),
      secret: ({ id }) => ({
        done: `Webhook ${id} was created`,
        advice: `Give it another secret with animal-store webhooks rotate ${id} --overlap 0.`,
      }),
    }),
    itemCommand({
      name: "update",
      summary: "Change, disable or enable a webhook; only the given fields change.",
      settings: { ...changeSettings, status: statusSetting(webhookStatuses, "Whether events are sent") },
      operands: { webhookId },
      columns: webhookDetails,
      async call({ webhooks }, { to, types, description, status, webhookId: id }) {
        if ([to, types, description, status].every((change) => change === undefined)) {
          throw new SettingsError(["webhooks update needs at least one of --to, --type, --description and --status."]);
        }
        return await webhooks.update(id, { url: to, types, description, status });
      },
    }),
    deleteCommand("Delete a webhook.", webhookId, "webhook", ({ webhooks }, id) => webhooks.delete(id)),
    itemCommand({
      name: "rotate",
      summary: "Give a webhook a new secret, which is shown only once.",
      settings: {
        overlap: durationSetting("overlap", "How long events are signed with the old secret as well", "24h"),
        ...writeSettings,
      },
      operands: { webhookId },
      columns: [...webhookDetails, { title: "SECRET", field: "secret" }],
      call: ({ webhooks }, { webhookId: id, overlap, idempotencyKey }) =>
        webhooks.rotateSecret(id, { overlapSeconds: overlap / 1_000 }, { idempotencyKey }),
      secret: ({ id }) => ({
        done: `Webhook ${id} has a new secret`,
        advice: `Rotate it again with animal-store webhooks rotate ${id}: the secret that your receiver has then no longer works, so give it the new one at once.`,
      }),
    }),
    itemCommand({
      name: "test",
      summary: "Send a test event to a webhook, and show the outcome.",
      settings: writeSettings,
      operands: { webhookId },
      columns: deliveryColumns,
      call: ({ webhooks }, { webhookId: id, idempotencyKey }) => webhooks.test(id, { idempotencyKey }),
    }),
    remoteCommand({
      name: "deliveries",
      summary: "List the latest delivery attempts of a webhook, newest first.",
      settings: { limit: { ...limitSetting, help: "How many to show, up to 100. Default: 20", parse: upTo100 } },
      operands: { webhookId },
      async run({ settings: { limit }, operands: { webhookId: id }, output, store }) {
        return await output.list(await store.webhooks.deliveries(id, { limit }), deliveryColumns);
      },
    }),
    itemCommand({
      name: "retry",
      summary: "Deliver an event again.",
      settings: writeSettings,
      operands: {
        webhookId: {
          ...webhookId,
          expects: "the id of a webhook and that of a delivery, as webhooks deliveries shows it",
        },
        deliveryId: idOperand("delivery", "webhooks deliveries", "DELIVERY-ID"),
      },
      columns: deliveryColumns,
      call: ({ webhooks }, { webhookId: id, deliveryId, idempotencyKey }) =>
        webhooks.retryDelivery(id, deliveryId, { idempotencyKey }),
    }),
    itemCommand({
      name: "replay",
      summary: "Send events to a webhook again, starting at a position in the event log.",
      settings: {
        from: textSetting({
          flag: "from",
          placeholder: "WHERE",
          help: "Where to start: beginning, for all events that are kept; end, for new events only; or an event cursor.",
          expects: "beginning, end or a cursor",
          choices: ["beginning", "end"],
          isRequired: true,
        }),
        ...writeSettings,
      } as const,
      operands: { webhookId },
      columns: webhookDetails,
      call: ({ webhooks }, { webhookId: id, from, idempotencyKey }) =>
        webhooks.replay(id, { from }, { idempotencyKey }),
    }),
    listenCommand,
  ],
};

function upTo100(text: string): number | undefined {
  return /^[1-9]\d{0,2}$/.test(text) && Number(text) <= 100 ? Number(text) : undefined;
}

/** An empty list stands for all types, including future ones. */
function parseTypes(text: string): EventType[] | undefined {
  const words = text.split(/[ ,]+/);
  if (words.length === 1 && words[0] === "all") return [];
  const types = words.flatMap((word) => eventTypes.find((type) => type === word) ?? []);
  return types.length === words.length ? types : undefined;
}
