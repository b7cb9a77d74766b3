import { presentKey } from "../../domain/key.ts";
import { operation } from "../definition.ts";
import { closed, NoFields } from "../schema.ts";
import { exampleKey, Key, keyIdParam } from "./schemas.ts";

export const revokeKey = operation({
  id: "revokeKey",
  method: "POST",
  path: "/keys/:keyId/revoke",
  tag: "keys",
  summary: "Revoke a key",
  description:
    "Revokes a key permanently; it stops working everywhere within a second. Revoking it again changes nothing. A key with the scope `admin` is kept, and gets 409, unless another active one lasts as long.",
  scope: "admin",
  stability: "beta",
  isStrict: true,
  params: keyIdParam,
  body: { schema: closed(NoFields), isOptional: true, examples: { nothing: { summary: "Nothing", value: {} } } },
  success: {
    status: 200,
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
  current: {
    read: ({ params: { keyId } }, { store }) => store.keys.get(keyId),
    show: (key, { clock }) => presentKey(key, clock()),
  },
  async handle({ params: { keyId }, expected }, { store, clock }) {
    const now = clock();
    return presentKey(await store.keys.revoke(keyId, now, true, expected), now);
  },
});
