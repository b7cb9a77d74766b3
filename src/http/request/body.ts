import { withDeadline } from "../../base/deadline.ts";
import { findExcess, findRepeatedNames, maxJsonDepth, maxJsonValues, parseJson } from "../../base/json.ts";
import { type ServiceError, Throttled } from "../../domain/errors.ts";
import type { ErrorCode } from "../../operations/errors.ts";
import { bodyLimits } from "../../operations/fields.ts";
import { InvalidInput, notAnObject } from "../../operations/invalid-input.ts";
import { plainJson, type RequestBody } from "../../operations/operation.ts";
import type { ObjectSchema } from "../../operations/schema.ts";
import type { Values } from "../../validation/validator.ts";
import { BodyError, type MemoryBudget } from "../../wire/incoming-body.ts";
import type { WireRequest } from "../../wire/message.ts";
import type { Exchange } from "../exchange.ts";
import { HttpError, lastOfConnection } from "../http-error.ts";
import { elementsOf } from "./header-fields.ts";

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

export const defaultBodyLimits: BodyLimits = {
  maxBytes: bodyLimits.kibibytes * 1024,
  timeoutMs: bodyLimits.seconds * 1000,
};

/** The JSON object that a request carries. */
export interface Body {
  readonly values: Values;
  /** Which names it gives more than once, if that was asked. */
  readonly repeated: readonly (readonly string[])[];
}

/** Reads what a request carries, with `strict` also what it repeats. Throws an error that says what to send instead. */
export async function readBody(
  exchange: Exchange,
  expected: ExpectedBody,
  limits: BodyLimits,
  room: MemoryBudget | undefined,
  strict: boolean,
): Promise<Body> {
  const { request } = exchange;
  const declared = Number(request.headers.get("content-length"));
  if (declared === 0 && !request.headers.has("transfer-encoding")) return ifMissing(expected);
  requireJson(request, expected);
  if (declared > limits.maxBytes) throw tooLarge(limits);
  exchange.bodyAt = performance.now();
  const bytes = await withDeadline(limits.timeoutMs, readBytes(request, limits, room), () => late(limits)).finally(
    () => {
      exchange.bodyMs = performance.now() - exchange.bodyAt;
    },
  );
  exchange.bodyBytes = bytes.length;
  if (bytes.length === 0) return ifMissing(expected);
  const text = decode(bytes);
  return { values: parseObject(text), repeated: strict ? findRepeatedNames(text) : [] };
}

type ExpectedBody = Pick<RequestBody<ObjectSchema>, "types" | "isOptional">;

function ifMissing({ isOptional }: ExpectedBody): Body {
  if (isOptional) return { values: {}, repeated: [] };
  throw new HttpError("BadRequest", "The body is missing. Send a JSON object.");
}

function requireJson({ method, headers }: WireRequest, { types = plainJson }: ExpectedBody): void {
  // What nearly all send needs no closer look.
  if (headers.get("content-type") === types[0] && !headers.has("content-encoding")) return;
  const [[type, ...parameters] = [], ...others] = elementsOf(headers.get("content-type"));
  const isUtf8 = parameters.every(({ name, value }) => name !== "charset" || value?.toLowerCase() === "utf-8");
  const taken = { Accept: types.join(", "), ...(method === "PATCH" && { "Accept-Patch": types.join(", ") }) };
  if (!type || !types.includes(type.name) || !isUtf8 || others.length > 0) {
    const message = `Send the body as JSON in UTF-8, with Content-Type: ${types.join(" or ")}.`;
    throw new HttpError("UnsupportedMediaType", message, taken);
  }
  const encoding = headers.get("content-encoding")?.toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    throw new HttpError("UnsupportedMediaType", "Send the body uncompressed, without Content-Encoding.", {
      ...taken,
      "Accept-Encoding": "identity",
    });
  }
}

/** Where no body is asked for, one that is known to be broken is refused all the same: the request may not be what it was meant to be. */
export function requireNoBrokenBody({ body: { failure } }: WireRequest, limits: BodyLimits): void {
  if (failure) throw errorOf(failure, limits);
}

async function readBytes(
  { body }: WireRequest,
  limits: BodyLimits,
  room: MemoryBudget | undefined,
): Promise<Uint8Array> {
  try {
    return await body.collect({
      maxBytes: limits.maxBytes,
      maxChunks: bodyLimits.chunks,
      ...(room && { memory: room }),
    });
  } catch (error) {
    throw error instanceof BodyError ? errorOf(error, limits) : error;
  }
}

function errorOf({ reason }: BodyError, limits: BodyLimits): ServiceError<ErrorCode> {
  switch (reason) {
    case "tooLarge":
      return tooLarge(limits, lastOfConnection);
    case "tooManyChunks":
      return tooManyChunks();
    case "noMemory":
      return new Throttled("bodies", "Too many large bodies are being received. Try again in a moment.", 1);
    case "malformed":
      return new HttpError("BadRequest", "The body is not in well-formed chunks (RFC 9112).", lastOfConnection);
    case "incomplete":
      return new HttpError("BadRequest", "The body ended before it was complete.");
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new HttpError("BadRequest", "The body is not valid UTF-8.");
  }
}

function parseObject(text: string): Values {
  const excess = findExcess(text);
  if (excess) throw new HttpError("BadRequest", excesses[excess]);
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InvalidInput([notAnObject]);
  }
  return value as Values;
}

const excesses = {
  depth: `The body is nested too deeply. Nest at most ${maxJsonDepth} arrays and objects.`,
  values: `The body has too many fields and items. Send at most ${maxJsonValues}.`,
};

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new HttpError("BadRequest", "The body is not valid JSON.");
  }
}

function tooLarge({ maxBytes }: BodyLimits, headers?: HttpError["headers"]): HttpError {
  return new HttpError("PayloadTooLarge", `The body is too large. Send at most ${maxBytes} bytes.`, headers);
}

function tooManyChunks(): HttpError {
  const message = `The body comes in too many chunks. Send at most ${bodyLimits.chunks}.`;
  return new HttpError("BadRequest", message, lastOfConnection);
}

function late({ timeoutMs }: BodyLimits): HttpError {
  const message = `The body did not arrive within ${timeoutMs / 1000} seconds.`;
  return new HttpError("RequestTimeout", message, lastOfConnection);
}
