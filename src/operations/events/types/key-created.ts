import { exampleKey, Key } from "../../keys/schemas.ts";
import { eventKind } from "../event-kind.ts";

export const keyCreated = eventKind({
  type: "key.created",
  subject: "keys",
  summary: "A key was created",
  description: "An API key was created, or succeeds another one.",
  scope: "admin",
  data: Key,
  example: { data: exampleKey },
});
