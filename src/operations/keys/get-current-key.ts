import { operation } from "../definition.ts";
import { readKey } from "./get-key.ts";
import { CurrentKey, exampleKey } from "./schemas.ts";

const environmentKey = { ...exampleKey, id: null, name: "environment", scope: "admin", createdAt: null } as const;

export const getCurrentKey = operation({
  id: "getCurrentKey",
  endpoint: "GET /keys/current",
  summary: "Get the current key",
  description: "Describes the key of the request: its name, scope and expiry. The key itself is not returned.",
  scope: "read",
  success: {
    description: "The key's description.",
    schema: CurrentKey,
    examples: {
      stored: ["A stored key", exampleKey],
      configured: ["The key that the operator has configured", environmentKey],
    },
  },
  errors: ["NotFound"],
  // The key is read again, because the cached caller may be up to a second old.
  handle: (_, context) =>
    context.caller.key === "environment" ? environmentKey : readKey(context.caller.key, context),
});
