import { presentKey } from "../../domain/key.ts";
import { operation } from "../definition.ts";
import { closed, NoFields } from "../schema.ts";
import { current } from "./current.ts";
import { exampleKey, Key, keyIdParam } from "./schemas.ts";

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
