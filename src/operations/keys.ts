import { mapAwaitable } from "../base/awaitable.ts";
import type { Int64 } from "../base/int64.ts";
import {
  keyStates,
  maxKeyNameLength,
  noSuchKey,
  presentKey,
  type Key as StoredKey,
  scopes,
  shownToAnother,
} from "../domain/key.ts";
import { generateKey, hashKey } from "../domain/key-secret.ts";
import type { KeySecret, CreatedKey as Made } from "../store/store.ts";
import { operation } from "./definition.ts";
import {
  idField,
  int64Field,
  limitField,
  nameField,
  objectSchema,
  optionalIdField,
  optionalTimeField,
  overlapField,
  pageSchema,
  timeField,
} from "./fields.ts";
import { type Context, found, presentPage } from "./operation.ts";
import { closed, expects, NoFields, type Static } from "./schema.ts";

export const Scope = {
  $id: "Scope",
  type: "string",
  enum: scopes,
  description: "What a key may be used for; each scope includes those before it.",
  [expects]: `one of ${scopes.join(", ")}`,
} as const;

export const KeyState = {
  $id: "KeyState",
  type: "string",
  enum: keyStates,
  description: "`active` and `retiring` keys work; a `retiring` one has a successor and will expire.",
} as const;

const name = nameField("Who or what the key is for.", maxKeyNameLength);

/** The store checks that the time is in the future, unless it has created the key for an earlier request. */
const expiresAt = {
  type: ["string", "null"],
  format: "date-time",
  pattern:
    "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?Z$",
  description: "When the key stops working, in UTC; null for never. It cannot outlive the key that creates it.",
  [expects]: "a time in UTC such as 2031-01-31T12:00:00Z, or null",
} as const;

export const NewKey = closed({
  $id: "NewKey",
  type: "object",
  description: "A key to create.",
  required: ["name", "scope"],
  properties: { name, scope: Scope, expiresAt },
} as const);

export const KeyRotation = closed({
  $id: "KeyRotation",
  type: "object",
  description: "How to rotate a key.",
  properties: {
    overlapSeconds: overlapField("How long the old key keeps working."),
    expiresAt: {
      ...expiresAt,
      description:
        "When the new key stops working, in UTC; null for never. By default, it has the same lifetime as the old one, but never outlives the key that creates it.",
    },
  },
} as const);

const fields = {
  id: idField("Identifier of the key, as shown by `animal-store keys` and in the log."),
  name,
  scope: Scope,
  state: KeyState,
  createdAt: timeField("When the key was created."),
  expiresAt: optionalTimeField("When the key stops working; null for never."),
  rotatedAt: optionalTimeField("When the key was given a successor; null if it has none."),
  revokedAt: optionalTimeField("When the key was revoked; null if it was not."),
  lastUsedAt: optionalTimeField(
    "When the key was last used, to the minute; null if it was not. The `ETag` does not depend on it.",
  ),
} as const;

export const Key = objectSchema("Key", "An API key, without the key itself.", fields);

export const CurrentKey = objectSchema(
  "CurrentKey",
  "The API key of the request, without the key itself. A key that the operator has configured is not stored: it is called `environment`, and has no `id` and no times.",
  {
    ...fields,
    id: optionalIdField(
      "Identifier of the key, as shown by `animal-store keys` and in the log; null if it is not stored.",
    ),
    createdAt: optionalTimeField("When the key was created; null if it is not stored."),
  },
);

export const CreatedKey = objectSchema("CreatedKey", "A new API key, with the key itself, which is shown only once.", {
  ...fields,
  key: { type: "string", description: "The key. It cannot be shown again." },
});

export const Keys = pageSchema("Keys", "A page of keys, ascending by `id`.", Key);

export const exampleKey = {
  id: 2,
  name: "till 1",
  scope: "write",
  state: "active",
  createdAt: "2026-11-15T10:00:00.000Z",
  expiresAt: null,
  rotatedAt: null,
  revokedAt: null,
  lastUsedAt: null,
} as const;

/** The configured key, which is not stored. */
const environmentKey = { ...exampleKey, id: null, name: "environment", scope: "admin", createdAt: null } as const;

const exampleCreatedKey = { ...exampleKey, key: "ask_..." } as const;

const keyIdParam = { keyId: int64Field("Identifier of the key.") } as const;

const current = {
  read: ({ params: { keyId } }: { params: { keyId: Int64 } }, { store }: Context) => store.keys.get(keyId),
  show: (key: StoredKey, { clock }: Context) => presentKey(key, clock()),
};

/** Returns the time of `expiresAt`; null for never. */
const expiryOf = (text: string | null) => (text === null ? null : Date.parse(text));

export const listKeys = operation({
  id: "listKeys",
  endpoint: "GET /keys",
  summary: "List keys",
  description:
    "Returns a paginated list of all keys, including those that no longer work, ascending by `id`, with the same paging as the list of animals.",
  query: { limit: limitField },
  paged: true,
  success: {
    description: "A page of keys.",
    schema: Keys,
    examples: { page: { summary: "One key", value: [exampleKey] } },
  },
  handle({ query: { limit }, after }, { store, clock }) {
    return presentPage(store.keys.list({ limit, after }), (key) => presentKey(key, clock()));
  },
});

export const getKey = operation({
  id: "getKey",
  endpoint: "GET /keys/:keyId",
  summary: "Get a key",
  description: "Returns a single key, without the key itself.",
  params: keyIdParam,
  success: {
    description: "The key's description.",
    schema: Key,
    examples: { key: { summary: "A key", value: exampleKey } },
  },
  errors: ["NotFound"],
  handle: ({ params: { keyId } }, context) => readKey(keyId, context),
});

function readKey(id: Int64, { store, clock }: Context) {
  const key = found(store.keys.get(id), () => noSuchKey(id));
  return mapAwaitable(key, (known) => presentKey(known, clock()));
}

export const getCurrentKey = operation({
  id: "getCurrentKey",
  endpoint: "GET /keys/current",
  summary: "Get the current key",
  description:
    "Returns the key that the request is sent with, without the key itself: its name, its scope, and when it expires.",
  scope: "read",
  success: {
    description: "The key's description.",
    schema: CurrentKey,
    examples: {
      stored: { summary: "A stored key", value: exampleKey },
      configured: { summary: "The key that the operator has configured", value: environmentKey },
    },
  },
  errors: ["NotFound"],
  // The key is read again, because a cached caller may be up to a second old.
  handle: (_, context) =>
    context.caller.key === "environment" ? environmentKey : readKey(context.caller.key, context),
});

export const createKey = operation({
  id: "createKey",
  endpoint: "POST /keys",
  summary: "Create a key",
  description:
    "Creates a key and shows it once. A key cannot create one with a larger scope than its own, or one that outlives it (403).",
  body: {
    schema: NewKey,
    examples: {
      forever: { summary: "A key that does not expire", value: { name: "till 1", scope: "write" } },
      forATime: {
        summary: "A key that expires",
        value: { name: "auditor", scope: "read", expiresAt: "2031-01-31T12:00:00Z" },
      },
    },
  },
  success: {
    status: 201,
    description: "Key created; the body contains it.",
    schema: CreatedKey,
    examples: { made: { summary: "The new key", value: exampleCreatedKey } },
    location: { at: getKey, params: ({ id }) => ({ keyId: id }) },
    isSecret: true,
  },
  errors: ["Forbidden"],
  async handle({ body: { name, scope, expiresAt = null } }, context) {
    const { store, clock, caller } = context;
    const key = { name, scope, createdAt: clock(), expiresAt: expiryOf(expiresAt) };
    return await showOnce(context, (secret) => store.keys.create(key, secret, caller));
  },
});

export const rotateKey = operation({
  id: "rotateKey",
  endpoint: "POST /keys/:keyId/rotate",
  summary: "Rotate a key",
  description:
    "Creates a successor with the same name and scope and shows it once. The old key is then `retiring`, and keeps working for the overlap. A key that has a successor, has expired or was revoked gets 409. So does one with the scope `admin`, unless its successor or another active one lasts as long as it would have.",
  params: keyIdParam,
  body: {
    schema: KeyRotation,
    isOptional: true,
    examples: {
      plain: { summary: "With an overlap of a day", value: {} },
      atOnce: { summary: "The old key stops immediately", value: { overlapSeconds: 0 } },
    },
  },
  success: {
    status: 201,
    description: "Successor created; the body contains it.",
    schema: CreatedKey,
    examples: { made: { summary: "The successor", value: { ...exampleCreatedKey, id: 3 } } },
    location: { at: getKey, params: ({ id }) => ({ keyId: id }) },
    isSecret: true,
  },
  errors: ["Forbidden", "Conflict"],
  current,
  async handle({ params: { keyId }, body, expected }, context) {
    const { store, clock, caller } = context;
    const now = clock();
    const rotation = {
      at: now,
      retiresAt: now + body.overlapSeconds * 1000,
      expiresAt: body.expiresAt === undefined ? undefined : expiryOf(body.expiresAt),
      maker: caller,
      keepLastAdmin: true,
    };
    return await showOnce(context, (secret) => store.keys.rotate(keyId, rotation, secret, expected));
  },
});

export const revokeKey = operation({
  id: "revokeKey",
  endpoint: "POST /keys/:keyId/revoke",
  summary: "Revoke a key",
  description:
    "Revokes a key permanently; it stops working everywhere within a second. Revoking it again changes nothing. A key with the scope `admin` is kept, and gets 409, unless another active one lasts as long.",
  params: keyIdParam,
  body: { schema: closed(NoFields), isOptional: true, examples: { nothing: { summary: "Nothing", value: {} } } },
  success: {
    description: "The key is revoked.",
    schema: Key,
    examples: {
      revoked: {
        summary: "The revoked key",
        value: { ...exampleKey, state: "revoked", revokedAt: "2026-11-15T11:00:00.000Z" },
      },
    },
  },
  errors: ["Conflict"],
  current,
  async handle({ params: { keyId }, expected }, { store, clock }) {
    const now = clock();
    return presentKey(await store.keys.revoke(keyId, now, true, expected), now);
  },
});

/**
 * Creates a key, and shows it with its description. A repeated request shows it again, if sent with the key of the first request.
 * Throws UnprocessableContent otherwise.
 */
async function showOnce(
  { vault }: Pick<Context, "vault">,
  make: (secret: KeySecret) => Promise<Made>,
): Promise<Static<typeof CreatedKey>> {
  const text = generateKey();
  const own = await vault.seal(text);
  const { sealed, ...made } = await make({ hash: hashKey(text), sealed: own });
  const key = sealed === own ? text : await vault.open(sealed ?? "");
  if (key === undefined) throw shownToAnother(made.id);
  return { ...presentKey(made, made.createdAt), key };
}

export const keyOperations = [listKeys, createKey, getCurrentKey, getKey, rotateKey, revokeKey];
export const keySchemas = [Scope, KeyState, NewKey, KeyRotation, Key, CurrentKey, CreatedKey, Keys];
