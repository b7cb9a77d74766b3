import { operation } from "../definition.ts";
import { readKey } from "./current.ts";
import { exampleKey, Key, keyIdParam } from "./schemas.ts";

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
