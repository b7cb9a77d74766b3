import type { EventType, SubjectKind } from "../../domain/event.ts";
import type { Scope } from "../../domain/key.ts";
import type { ObjectSchema } from "../schema.ts";
import { type EventExample, envelopeOf } from "./envelope.ts";

/** One type of event, with everything there is to know about it. Its part of the document and of the guide is made from this. */
export interface EventKind {
  readonly type: EventType;
  readonly subject: SubjectKind;
  readonly summary: string;
  readonly description: string;
  /** That a key needs to be shown such events. */
  readonly scope: Extract<Scope, "read" | "admin">;
  readonly schema: ObjectSchema;
  readonly example: object;
}

interface Definition extends Omit<EventKind, "schema" | "example"> {
  /** What it has happened to. */
  readonly data: ObjectSchema;
  /** The fields that it can change; none if it makes something or removes it. */
  readonly changes?: readonly string[];
  readonly example: EventExample;
}

export function eventKind({ data, changes, example, ...kind }: Definition): EventKind {
  const { schema, example: whole } = envelopeOf(kind, data, changes, example);
  return { ...kind, schema, example: whole };
}
