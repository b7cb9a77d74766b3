import { presentKey } from "../../domain/key.ts";
import { operation } from "../definition.ts";
import { closedEmptyBody } from "../schema.ts";
import { currentKey } from "./get-key.ts";
import { exampleKey, Key, keyIdParam } from "./schemas.ts";

const revokedKey = { ...exampleKey, state: "revoked", revokedAt: "2026-11-15T11:00:00.000Z" };

export const revokeKey = operation({
  id: "revokeKey",
  endpoint: "POST /keys/:keyId/revoke",
  summary: "Revoke a key",
  description:
    "Revokes a key permanently; it stops working everywhere within a second. Revoking it again changes nothing. Revoking a key with the scope `admin` gets 409, unless another active `admin` key lasts at least as long.",
  params: keyIdParam,
  body: closedEmptyBody,
  success: { description: "The key is revoked.", schema: Key, examples: { revoked: ["The revoked key", revokedKey] } },
  errors: ["Conflict"],
  current: currentKey,
  async handle({ params: { keyId }, expected }, { store, clock }) {
    const now = clock();
    return presentKey(await store.keys.revoke(keyId, now, true, expected), now);
  },
});
