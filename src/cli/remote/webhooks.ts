import { choicesParser, integerParser, setting, textSetting } from "../../config.ts";
import { eventTypes } from "../../domain/event.ts";
import { webhookStatuses } from "../../domain/webhook.ts";
import type { CommandGroup } from "../command.ts";
import { durationSetting } from "../terminal/time.ts";
import { deliveryColumns, webhookColumns, webhookDetails } from "./columns.ts";
import { listenCommand } from "./listen.ts";
import { deleteCommand, getCommand, itemCommand, limitSetting, listCommand, remoteCommand } from "./remote-command.ts";
import { idOperand, statusSetting } from "./settings.ts";

const webhookId = idOperand("webhook", "webhooks list");
const secretDetails = [...webhookDetails, { title: "SECRET", field: "secret" }];

const createSettings = {
  to: textSetting("--to URL", { help: "The URL that events are sent to.", expects: "an https URL", isRequired: true }),
  // An empty list stands for all types, including future ones.
  types: setting("--type TYPE", (text) => (text === "all" ? [] : choicesParser(eventTypes)(text)), {
    help: "An event type to send, such as pet.created, or all. Repeat the flag for more.",
    expects: `all, or one or more of ${eventTypes.join(", ")}`,
    choices: ["all", ...eventTypes],
    isRepeatable: true,
  }),
  description: textSetting("--description TEXT", { help: "What it is for." }),
};

export const webhooksCommands: CommandGroup = {
  name: "webhooks",
  summary: "List, show, create, change, test and delete webhooks, and try one out on this machine.",
  commands: [
    listCommand({
      name: "list",
      summary: "List webhooks.",
      columns: webhookColumns,
      call: ({ webhooks }, _, page) => webhooks.list(page),
    }),
    getCommand("a webhook", webhookId, webhookDetails, ({ webhooks }, id) => webhooks.get(id)),
    itemCommand({
      name: "create",
      summary: "Create a webhook. Its secret is shown only once.",
      settings: createSettings,
      columns: secretDetails,
      takesIdempotencyKey: true,
      call: ({ webhooks }, { to: url, ...rest }, options) => webhooks.create({ url, ...rest }, options),
      ifLost: ({ id }) =>
        `Webhook ${id} was created. Give it another secret with animal-store webhooks rotate ${id} --overlap 0.`,
    }),
    itemCommand({
      name: "update",
      summary: "Change, disable or enable a webhook; only the given fields change.",
      settings: {
        ...createSettings,
        to: { ...createSettings.to, isRequired: false },
        status: statusSetting(webhookStatuses, "Whether events are sent"),
      },
      operands: { webhookId },
      columns: webhookDetails,
      call: ({ webhooks }, { webhookId: id, to: url, ...rest }) => webhooks.update(id, { url, ...rest }),
    }),
    deleteCommand("Delete a webhook.", webhookId, "webhook", ({ webhooks }, id) => webhooks.delete(id)),
    itemCommand({
      name: "rotate",
      summary: "Give a webhook a new secret, which is shown only once.",
      settings: {
        overlap: durationSetting("--overlap TIME", "How long events are signed with the old secret as well", "24h"),
      },
      operands: { webhookId },
      columns: secretDetails,
      takesIdempotencyKey: true,
      call: ({ webhooks }, { webhookId: id, overlap }, options) =>
        webhooks.rotateSecret(id, { overlapSeconds: overlap / 1_000 }, options),
      ifLost: ({ id }) =>
        `Webhook ${id} has a new secret. Rotate it again with animal-store webhooks rotate ${id}: the secret that your receiver has then no longer works, so give it the new one at once.`,
    }),
    itemCommand({
      name: "test",
      summary: "Send a test event to a webhook, and show the outcome.",
      operands: { webhookId },
      columns: deliveryColumns,
      takesIdempotencyKey: true,
      call: ({ webhooks }, { webhookId: id }, options) => webhooks.test(id, options),
    }),
    remoteCommand({
      name: "deliveries",
      summary: "List the latest delivery attempts of a webhook, newest first.",
      settings: {
        limit: { ...limitSetting, help: "How many to show, up to 100. Default: 20", parse: integerParser(1, 100) },
      },
      operands: { webhookId },
      async run({ settings: { limit }, operands: { webhookId: id }, output, store }) {
        return await output.printList(await store.webhooks.deliveries(id, { limit }), deliveryColumns);
      },
    }),
    itemCommand({
      name: "retry",
      summary: "Deliver an event again.",
      operands: {
        webhookId,
        deliveryId: idOperand("delivery", "webhooks deliveries", "DELIVERY-ID"),
      },
      columns: deliveryColumns,
      takesIdempotencyKey: true,
      call: ({ webhooks }, { webhookId: id, deliveryId }, options) => webhooks.retryDelivery(id, deliveryId, options),
    }),
    itemCommand({
      name: "replay",
      summary: "Send events to a webhook again, starting at a position in the event log.",
      settings: {
        from: textSetting("--from WHERE", {
          help: "Where to start: beginning, for all events that are kept; end, for new events only; or an event cursor.",
          expects: "beginning, end or a cursor",
          choices: ["beginning", "end"],
          isRequired: true,
        }),
      },
      operands: { webhookId },
      columns: webhookDetails,
      takesIdempotencyKey: true,
      call: ({ webhooks }, { webhookId: id, from }, options) => webhooks.replay(id, { from }, options),
    }),
    listenCommand,
  ],
};
