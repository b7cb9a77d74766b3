import { operation } from "../definition.ts";
import { createAndShowKey } from "./create-and-show-key.ts";
import { getKey } from "./get-key.ts";
import { CreatedKey, exampleCreatedKey, NewKey, parseExpiry } from "./schemas.ts";

export const createKey = operation({
  id: "createKey",
  endpoint: "POST /keys",
  summary: "Create a key",
  description:
    "Creates a key and shows it once. A key cannot create a key that has a larger scope or expires later than itself (403).",
  body: {
    schema: NewKey,
    examples: {
      forever: ["A key that does not expire", { name: "till 1", scope: "write" }],
      forATime: ["A key that expires", { name: "auditor", scope: "read", expiresAt: "2031-01-31T12:00:00Z" }],
    },
  },
  success: {
    status: 201,
    description: "Key created; the body contains it.",
    schema: CreatedKey,
    examples: { made: ["The new key", exampleCreatedKey] },
    location: { at: getKey, params: ({ id }) => ({ keyId: id }) },
    isSecret: true,
  },
  errors: ["Forbidden"],
  async handle({ body: { name, scope, expiresAt = null } }, context) {
    const { store, clock, caller } = context;
    const key = { name, scope, createdAt: clock(), expiresAt: parseExpiry(expiresAt) };
    return await createAndShowKey(context, (secret) => store.keys.create(key, secret, caller));
  },
});
