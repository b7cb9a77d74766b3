import { exampleKey, Key } from "../../keys/schemas.ts";
import { eventKind } from "../event-kind.ts";

export const keyRevoked = eventKind({
  type: "key.revoked",
  subject: "keys",
  summary: "A key was revoked",
  description: "An API key was revoked.",
  scope: "admin",
  data: Key,
  changes: ["state", "revokedAt"],
  example: {
    data: { ...exampleKey, state: "revoked", revokedAt: "2026-11-15T10:00:00.000Z" },
    previous: { state: "active", revokedAt: null },
  },
});
