import { mapAwaitable } from "../base/awaitable.ts";
import type { Int64 } from "../base/int64.ts";
import { eventTypes } from "../domain/event.ts";
import { decodeEventCursor } from "../domain/event-cursor.ts";
import { namePatterns } from "../domain/name.ts";
import {
  disabledReasons,
  generateWebhookSecret,
  noSuchWebhook,
  presentWebhook,
  secretShownToAnother,
  webhookStatuses,
} from "../domain/webhook.ts";
import type { CreatedWebhook as Made, WebhookSecret } from "../store/store.ts";
import { operation } from "./definition.ts";
import {
  idField,
  int64Field,
  limitField,
  objectSchema,
  optionalTimeField,
  overlapField,
  pageSchema,
  timeField,
} from "./fields.ts";
import { InvalidInput } from "./invalid-input.ts";
import { type Context, found, presentPage, type Vault, type WebhookDesk } from "./operation.ts";
import { acceptsText, closed, expects, Nothing, type Static, whenAbsent } from "./schema.ts";

const url = {
  type: "string",
  minLength: 9,
  maxLength: 2_048,
  pattern: "^https?://[!-~]+$",
  description:
    "Where events are sent to, by `POST`. It must be `https` and lead to public addresses, unless the operator allows others.",
  [expects]: "a URL of at most 2048 ASCII characters such as https://shop.example/hooks",
} as const;

const types = {
  type: "array",
  maxItems: 100,
  uniqueItems: true,
  items: { type: "string", enum: eventTypes },
  description: "The types of events that are sent. Empty for all, including those to come.",
  [expects]: `an array of some of ${eventTypes.join(", ")}, each at most once`,
} as const;

const description = {
  type: ["string", "null"],
  minLength: 1,
  maxLength: 255,
  pattern: namePatterns.allowed,
  description: "What it is for.",
  [expects]: "null, or a string of 1 to 255 characters, none of them a control character",
} as const;

export const WebhookStatus = {
  $id: "WebhookStatus",
  type: "string",
  enum: webhookStatuses,
  description: "Whether events are sent. While it is `disabled`, events wait, for as long as the log keeps them.",
  [expects]: `one of ${webhookStatuses.join(", ")}`,
} as const;

export const NewWebhook = closed({
  $id: "NewWebhook",
  type: "object",
  description: "A webhook to create.",
  required: ["url"],
  properties: {
    url,
    types: { ...types, [whenAbsent]: [] },
    description: { ...description, [whenAbsent]: null },
  },
} as const);

export const WebhookPatch = closed({
  $id: "WebhookPatch",
  type: "object",
  description: "The fields of a webhook to change (RFC 7396). Omitted fields stay as they are.",
  properties: { url, types, description, status: WebhookStatus },
} as const);

export const WebhookRotation = closed({
  $id: "WebhookRotation",
  type: "object",
  description: "How to rotate the secret of a webhook.",
  properties: {
    overlapSeconds: overlapField("How long events are signed with the old secret as well."),
  },
} as const);

export const WebhookReplay = closed({
  $id: "WebhookReplay",
  type: "object",
  description: "From where to send events again.",
  required: ["from"],
  properties: {
    from: {
      type: "string",
      pattern: "^[!-~]{1,100}$",
      description:
        "`beginning`: everything that the log still has. `end`: nothing of what has happened so far. Otherwise a cursor of the list of events: everything after it.",
      [expects]: "beginning, end, or a cursor of the list of events",
      [acceptsText]: (text: string) => text === "beginning" || text === "end" || decodeEventCursor(text) !== undefined,
    },
  },
} as const);

const fields = {
  id: idField("Identifier of the webhook."),
  url,
  types: { type: "array", maxItems: 100, items: { type: "string" }, description: types.description },
  description,
  status: WebhookStatus,
  disabledReason: {
    type: ["string", "null"],
    enum: [...disabledReasons, null],
    description:
      "Why it is disabled: `request`, somebody asked for it; `gone`, the receiver answered 410; `failures`, every attempt failed for 5 days; `retention`, events that it had not received were removed from the log; `history`, the log is no longer the one that it had followed. Null if it is enabled.",
  },
  failingSince: optionalTimeField(
    "Since when every attempt has failed; null after a success. The `ETag` does not depend on it.",
  ),
  oldSecretExpiresAt: optionalTimeField(
    "Until when events are signed with the secret before this one as well; null if there was none.",
  ),
  createdAt: timeField("When it was created."),
  updatedAt: timeField("When it was last changed."),
} as const;

export const Webhook = objectSchema("Webhook", "Where events are sent to, without its secret.", fields);

export const CreatedWebhook = objectSchema("CreatedWebhook", "A webhook with a new secret, which is shown only once.", {
  ...fields,
  secret: {
    type: "string",
    description: "What events are signed with: `whsec_` and 32 bytes in base64. It cannot be shown again.",
  },
});

export const Webhooks = pageSchema("Webhooks", "A page of webhooks, ascending by `id`.", Webhook);

export const exampleWebhook = {
  id: 1,
  url: "https://hooks.shop.example/animals",
  types: ["pet.created", "pet.updated", "pet.deleted"],
  description: "keeps the window up to date",
  status: "enabled",
  disabledReason: null,
  failingSince: null,
  oldSecretExpiresAt: null,
  createdAt: "2026-11-15T10:00:00.000Z",
  updatedAt: "2026-11-15T10:00:00.000Z",
} as const;

const exampleCreatedWebhook = { ...exampleWebhook, secret: "whsec_..." } as const;

export const webhookIdParam = { webhookId: int64Field("Identifier of the webhook.") } as const;

const current = {
  read: ({ params: { webhookId } }: { params: { webhookId: Int64 } }, { store }: Context) =>
    store.webhooks.get(webhookId),
  show: presentWebhook,
};

export const listWebhooks = operation({
  id: "listWebhooks",
  endpoint: "GET /webhooks",
  summary: "List webhooks",
  description:
    "Returns a paginated list of all webhooks, ascending by `id`, with the same paging as the list of animals.",
  query: { limit: limitField },
  paged: true,
  success: {
    description: "A page of webhooks.",
    schema: Webhooks,
    examples: { page: { summary: "One webhook", value: [exampleWebhook] } },
  },
  handle({ query: { limit }, after }, { store }) {
    return presentPage(store.webhooks.list({ limit, after }), presentWebhook);
  },
});

export const getWebhook = operation({
  id: "getWebhook",
  endpoint: "GET /webhooks/:webhookId",
  summary: "Get a webhook",
  description: "Returns a single webhook, without its secret.",
  params: webhookIdParam,
  success: {
    description: "The webhook.",
    schema: Webhook,
    examples: { webhook: { summary: "A webhook", value: exampleWebhook } },
  },
  errors: ["NotFound"],
  handle: ({ params: { webhookId } }, { store }) =>
    mapAwaitable(
      found(store.webhooks.get(webhookId), () => noSuchWebhook(webhookId)),
      presentWebhook,
    ),
});

export const createWebhook = operation({
  id: "createWebhook",
  endpoint: "POST /webhooks",
  summary: "Create a webhook",
  description:
    "Creates a webhook, to which every event from now on is sent, and shows the secret that events are signed with once. Without a key for secrets, which the operator sets, it gets 409, and so does the 101st webhook.",
  body: {
    schema: NewWebhook,
    examples: {
      some: {
        summary: "For what happens to animals",
        value: {
          url: "https://hooks.shop.example/animals",
          types: ["pet.created", "pet.updated", "pet.deleted"],
          description: "keeps the window up to date",
        },
      },
      all: { summary: "For everything", value: { url: "https://hooks.shop.example/all" } },
    },
  },
  success: {
    status: 201,
    description: "Webhook created; the body contains its secret.",
    schema: CreatedWebhook,
    examples: { made: { summary: "The new webhook", value: exampleCreatedWebhook } },
    location: { at: getWebhook, params: ({ id }) => ({ webhookId: id }) },
    isSecret: true,
  },
  errors: ["Conflict"],
  async handle({ body: { url, types, description } }, context) {
    const { store, clock, webhooks } = context;
    requireUrl(webhooks, url);
    const ends = await store.events.ends();
    const webhook = { url, types: types.join(), description, createdAt: clock() };
    return await showSecret(context, (secret) => store.webhooks.create(webhook, secret, ends?.newest));
  },
});

export const updateWebhook = operation({
  id: "updateWebhook",
  endpoint: "PATCH /webhooks/:webhookId",
  summary: "Change a webhook",
  description:
    "Changes the fields in the body and leaves the others as they are. A webhook that is enabled again goes on where it stopped, so that nothing is lost for as long as the log keeps it.",
  params: webhookIdParam,
  body: {
    schema: WebhookPatch,
    types: ["application/merge-patch+json", "application/json"],
    examples: {
      disable: { summary: "Send nothing for now", value: { status: "disabled" } },
      move: { summary: "Send everything elsewhere", value: { url: "https://hooks.shop.example/all", types: [] } },
    },
  },
  success: {
    description: "The webhook as it is now.",
    schema: Webhook,
    examples: {
      changed: {
        summary: "The changed webhook",
        value: { ...exampleWebhook, status: "disabled", disabledReason: "request" },
      },
    },
  },
  current,
  async handle({ params: { webhookId }, body, expected }, { store, clock, webhooks }) {
    const { url, types, description, status } = body;
    if (url !== undefined) requireUrl(webhooks, url);
    const changes = { url, types: types?.join(), description, status };
    const changed = await store.webhooks.update(webhookId, changes, clock(), expected);
    webhooks.changed(webhookId);
    return presentWebhook(changed);
  },
});

export const deleteWebhook = operation({
  id: "deleteWebhook",
  endpoint: "DELETE /webhooks/:webhookId",
  summary: "Delete a webhook",
  description: "Deletes a webhook permanently, with what it has yet to get and its deliveries. Its id is never reused.",
  params: webhookIdParam,
  success: { status: 204, description: "The webhook was deleted.", schema: Nothing, examples: {} },
  current,
  async handle({ params: { webhookId }, expected }, { store, webhooks }) {
    await store.webhooks.delete(webhookId, expected);
    webhooks.changed(webhookId);
  },
});

export const rotateWebhookSecret = operation({
  id: "rotateWebhookSecret",
  endpoint: "POST /webhooks/:webhookId/rotate",
  summary: "Rotate the secret of a webhook",
  description:
    "Gives a webhook a new secret and shows it once. For the overlap, events are signed with both, so that the receiver can take its time. A secret that was still in its overlap is no longer used.",
  params: webhookIdParam,
  body: {
    schema: WebhookRotation,
    isOptional: true,
    examples: {
      plain: { summary: "With an overlap of a day", value: {} },
      atOnce: { summary: "The old secret is no longer used", value: { overlapSeconds: 0 } },
    },
  },
  success: {
    description: "Secret rotated; the body contains the new one.",
    schema: CreatedWebhook,
    examples: {
      rotated: {
        summary: "The webhook with its new secret",
        value: { ...exampleCreatedWebhook, oldSecretExpiresAt: "2026-11-16T10:00:00.000Z" },
      },
    },
    isSecret: true,
  },
  errors: ["Conflict"],
  current,
  async handle({ params: { webhookId }, body, expected }, context) {
    const { store, clock, vault } = context;
    const at = clock();
    const rotation = { at, retiresAt: at + body.overlapSeconds * 1000 };
    const rotate = (secret?: WebhookSecret) => store.webhooks.rotate(webhookId, rotation, secret, expected);
    if (await store.webhooks.get(webhookId)) return await showSecret(context, rotate);
    // The store may still have the response to the same request from before the webhook was deleted.
    return await showAgain(await rotate(), vault);
  },
});

type Shown = Static<typeof CreatedWebhook>;

/**
 * Stores a new secret with its webhook, and shows it. A repeated request shows the first secret again, if sent with the key of the
 * first request. Throws UnprocessableContent otherwise, and Conflict if the service has no key for secrets.
 */
async function showSecret(
  { vault, webhooks }: Context,
  make: (secret: WebhookSecret) => Promise<Made>,
): Promise<Shown> {
  const secret = generateWebhookSecret();
  const sealed = await webhooks.seal(secret);
  const sealedForMaker = await vault.seal(secret);
  const made = await make({ sealed, sealedForMaker });
  if (made.sealedForMaker !== sealedForMaker) return await showAgain(made, vault);
  // Not for repeated requests, because the change interrupts deliveries, which are then sent again.
  webhooks.changed(made.id);
  return { ...presentWebhook(made), secret };
}

/** Shows the secret that an earlier request has created. Throws UnprocessableContent if that was sent with another key. */
async function showAgain(made: Made, vault: Vault): Promise<Shown> {
  const secret = await vault.open(made.sealedForMaker ?? "");
  if (secret === undefined) throw secretShownToAnother(made.id);
  return { ...presentWebhook(made), secret };
}

/** Throws BadRequest if no event could be sent to the URL. */
function requireUrl(webhooks: WebhookDesk, url: string): void {
  const complaint = webhooks.complaintAboutUrl(url);
  if (complaint !== undefined) throw new InvalidInput([{ pointer: "#/url", message: `url ${complaint}` }]);
}

export const webhookOperations = [
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
];
export const webhookSchemas = [
  WebhookStatus,
  NewWebhook,
  WebhookPatch,
  WebhookRotation,
  WebhookReplay,
  Webhook,
  CreatedWebhook,
  Webhooks,
];
