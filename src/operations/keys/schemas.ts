import { keyStates, maxKeyNameLength, scopes } from "../../domain/key.ts";
import {
  choiceField,
  closedSchema,
  idField,
  int64Field,
  nameField,
  objectSchema,
  optionalIdField,
  optionalTimeField,
  overlapField,
  pageSchema,
  timeField,
} from "../fields.ts";
import { expects } from "../schema.ts";

export const Scope = {
  $id: "Scope",
  ...choiceField(scopes, "The permissions of a key; each scope includes those before it."),
} as const;

export const KeyState = {
  $id: "KeyState",
  ...choiceField(keyStates, "`active` and `retiring` keys work; a `retiring` one has a successor and will expire."),
} as const;

const name = nameField("The user or program that the key is for.", maxKeyNameLength);

/** The expiry of a new key. The store checks that the time is in the future, unless the request repeats an earlier one. */
export const expiresAt = {
  type: ["string", "null"],
  format: "date-time",
  pattern:
    "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?Z$",
  description: "When the key stops working, in UTC; null for never. It cannot outlive the key that creates it.",
  [expects]: "a time in UTC such as 2031-01-31T12:00:00Z, or null",
} as const;

export const NewKey = closedSchema("NewKey", "A key to create.", { name, scope: Scope, expiresAt }, "name", "scope");

export const KeyRotation = closedSchema("KeyRotation", "The settings for rotating a key.", {
  overlapSeconds: overlapField("The time for which the old key keeps working."),
  expiresAt: {
    ...expiresAt,
    description:
      "When the new key stops working, in UTC; null for never. By default, it has the same lifetime as the old one, but never outlives the key that creates it.",
  },
});

const fields = {
  id: idField("Identifier of the key, as shown by `animal-store keys` and in the log."),
  name,
  scope: Scope,
  state: KeyState,
  createdAt: timeField("When the key was created."),
  expiresAt: optionalTimeField("When the key stops working; null for never."),
  rotatedAt: optionalTimeField("When the key was given a successor; null if it has none."),
  revokedAt: optionalTimeField("When the key was revoked; null if it was not."),
  lastUsedAt: optionalTimeField("When the key was last used, to the minute. The `ETag` does not depend on it."),
} as const;

export const Key = objectSchema("Key", "An API key, without the key itself.", fields);

export const CurrentKey = objectSchema(
  "CurrentKey",
  "The API key of the request, without the key itself. A key that the operator has configured is not stored: it is called `environment`, and has no `id` and no times.",
  {
    ...fields,
    id: optionalIdField("Identifier of the key; null if it is not stored."),
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

export const exampleCreatedKey = { ...exampleKey, key: "ask_..." } as const;

export const keyIdParam = { keyId: int64Field("Identifier of the key.") } as const;

export const parseExpiry = (text: string | null) => (text === null ? null : Date.parse(text));

export const keySchemas = [Scope, KeyState, NewKey, KeyRotation, Key, CurrentKey, CreatedKey, Keys];
