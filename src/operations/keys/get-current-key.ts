import { operation } from "../definition.ts";
import { readKey } from "./current.ts";
import { CurrentKey, exampleKey } from "./schemas.ts";

/** The configured key, which is not stored. */
const environmentKey = { ...exampleKey, id: null, name: "environment", scope: "admin", createdAt: null } as const;

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
