import { operation } from "../definition.ts";
import { getKey } from "./get-key.ts";
import { CreatedKey, exampleCreatedKey, expiryOf, NewKey } from "./schemas.ts";
import { showOnce } from "./show-once.ts";

export const createKey = operation({
  id: "createKey",
  method: "POST",
  path: "/keys",
  tag: "keys",
  summary: "Make a key",
  description:
    "Makes a key and shows it, this once. A key cannot give more than it has: neither a larger scope nor, if it expires itself, a longer life (403).",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  body: {
    schema: NewKey,
    examples: {
      forever: { summary: "A key that does not expire", value: { name: "till 1", scope: "write" } },
      forATime: {
        summary: "A key for a time",
        value: { name: "auditor", scope: "read", expiresAt: "2031-01-31T12:00:00Z" },
      },
    },
  },
  success: {
    status: 201,
    description: "Key made; the body carries it.",
    schema: CreatedKey,
    examples: { made: { summary: "The new key", value: exampleCreatedKey } },
    location: { at: getKey, params: ({ id }) => ({ keyId: id }) },
    isSecret: true,
  },
  errors: ["Forbidden"],
  async handle({ body: { name, scope, expiresAt = null } }, { store, clock, caller, vault }) {
    const key = { name, scope, createdAt: clock(), expiresAt: expiryOf(expiresAt) };
    return await showOnce(vault, (secret) => store.keys.create(key, secret, caller));
  },
});
