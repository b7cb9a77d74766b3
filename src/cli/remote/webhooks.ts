import { nonEmpty, SettingsError, setting } from "../../config.ts";
import { type EventType, eventTypes } from "../../domain/event.ts";
import { webhookStatuses } from "../../domain/webhook.ts";
import type { CommandGroup } from "../command.ts";
import { parseDuration } from "../terminal/time.ts";
import { deliveryColumns, webhookColumns, webhookDetails } from "./columns.ts";
import { listenCommand } from "./listen.ts";
import { remoteCommand } from "./remote-command.ts";
import { firstOf, idempotencySetting, idOperand, limitSetting, statusSetting } from "./settings.ts";

const webhookId = idOperand("webhook", "webhooks list");
const writeSettings = { idempotencyKey: idempotencySetting };

const changeSettings = {
  to: setting(nonEmpty, {
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
  description: setting(nonEmpty, {
    flag: "description",
    placeholder: "TEXT",
    help: "What it is for.",
    expects: "a non-empty text",
  }),
};

export const webhooksCommands: CommandGroup = {
  name: "webhooks",
  summary: "List, show, create, change, test and delete webhooks, and try one out on this machine.",
  commands: [
    remoteCommand({
      name: "list",
      summary: "List webhooks.",
      settings: { limit: limitSetting },
      async run({ settings: { limit }, output, store }) {
        const { webhooks } = store;
        const walk = (pageSize: number) => webhooks.list({ limit: pageSize });
        return await output.list(firstOf(limit, walk), webhookColumns);
      },
    }),
    remoteCommand({
      name: "get",
      summary: "Show a webhook.",
      operands: { webhookId },
      async run({ operands: { webhookId: id }, output, store }) {
        return await output.item(await store.webhooks.get(id), webhookDetails);
      },
    }),
    remoteCommand({
      name: "create",
      summary: "Create a webhook. Its secret is shown only once.",
      settings: { ...changeSettings, to: { ...changeSettings.to, isRequired: true }, ...writeSettings } as const,
      async run({ settings: { to, types, description, idempotencyKey }, output, store }) {
        const webhook = { url: to, types, description };
        const made = await store.webhooks.create(webhook, { idempotencyKey });
        return await output.item(made, [...webhookDetails, secretColumn], {
          done: `Webhook ${made.id} was created`,
          advice: `Give it another secret with animal-store webhooks rotate ${made.id} --overlap 0.`,
        });
      },
    }),
    remoteCommand({
      name: "update",
      summary: "Change, disable or enable a webhook; only the given fields change.",
      settings: { ...changeSettings, status: statusSetting(webhookStatuses, "Whether events are sent") },
      operands: { webhookId },
      async run({ settings: { to, types, description, status }, operands: { webhookId: id }, output, store }) {
        if ([to, types, description, status].every((change) => change === undefined)) {
          throw new SettingsError(["webhooks update needs at least one of --to, --type, --description and --status."]);
        }
        const changes = { url: to, types, description, status };
        return await output.item(await store.webhooks.update(id, changes), webhookDetails);
      },
    }),
    remoteCommand({
      name: "delete",
      summary: "Delete a webhook.",
      operands: { webhookId },
      async run({ operands: { webhookId: id }, output, store }) {
        await store.webhooks.delete(id);
        return await output.done(`Deleted webhook ${id}.`, { id, isDeleted: true });
      },
    }),
    remoteCommand({
      name: "rotate",
      summary: "Give a webhook a new secret, which is shown only once.",
      settings: {
        overlap: setting(parseDuration, {
          flag: "overlap",
          placeholder: "TIME",
          help: "How long events are signed with the old secret as well, such as 24h; 0 to end it immediately.",
          expects: "a duration such as 24h, 7d or 0",
          default: "24h",
        }),
        ...writeSettings,
      },
      operands: { webhookId },
      async run({ settings: { overlap, idempotencyKey }, operands: { webhookId: id }, output, store }) {
        const rotation = { overlapSeconds: overlap / 1_000 };
        const rotated = await store.webhooks.rotateSecret(id, rotation, { idempotencyKey });
        return await output.item(rotated, [...webhookDetails, secretColumn], {
          done: `Webhook ${id} has a new secret`,
          advice: `Rotate it again with animal-store webhooks rotate ${id}: the secret that your receiver has then no longer works, so give it the new one at once.`,
        });
      },
    }),
    remoteCommand({
      name: "test",
      summary: "Send a test event to a webhook, and show the outcome.",
      settings: writeSettings,
      operands: { webhookId },
      async run({ settings: { idempotencyKey }, operands: { webhookId: id }, output, store }) {
        return await output.item(await store.webhooks.test(id, { idempotencyKey }), deliveryColumns);
      },
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
    remoteCommand({
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
      async run({ settings: { idempotencyKey }, operands: { webhookId: id, deliveryId }, output, store }) {
        const { webhooks } = store;
        return await output.item(await webhooks.retryDelivery(id, deliveryId, { idempotencyKey }), deliveryColumns);
      },
    }),
    remoteCommand({
      name: "replay",
      summary: "Send events to a webhook again, starting at a position in the event log.",
      settings: {
        from: setting(nonEmpty, {
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
      async run({ settings: { from, idempotencyKey }, operands: { webhookId: id }, output, store }) {
        const webhook = await store.webhooks.replay(id, { from }, { idempotencyKey });
        return await output.item(webhook, webhookDetails);
      },
    }),
    listenCommand,
  ],
};

const secretColumn = { title: "SECRET", field: "secret" };

function upTo100(text: string): number | undefined {
  return /^[1-9]\d{0,2}$/.test(text) && Number(text) <= 100 ? Number(text) : undefined;
}

/** None stands for all, including those to come. */
function parseTypes(text: string): EventType[] | undefined {
  const words = text.split(/[ ,]+/);
  if (words.length === 1 && words[0] === "all") return [];
  const types = words.flatMap((word) => eventTypes.find((type) => type === word) ?? []);
  return types.length === words.length ? types : undefined;
}
