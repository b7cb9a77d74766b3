import { exampleKey, Key } from "../../keys/schemas.ts";
import { eventKind } from "../event-kind.ts";

export const keyRotated = eventKind({
  type: "key.rotated",
  subject: "keys",
  summary: "A key was rotated",
  description: "An API key was given a successor, whose own event comes after, with the same `request`.",
  scope: "admin",
  data: Key,
  changes: ["state", "expiresAt", "rotatedAt"],
  example: {
    data: {
      ...exampleKey,
      state: "retiring",
      expiresAt: "2026-11-16T10:00:00.000Z",
      rotatedAt: "2026-11-15T10:00:00.000Z",
    },
    previous: { state: "active", expiresAt: null, rotatedAt: null },
  },
});
