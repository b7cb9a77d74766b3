import { withDeadline } from "../../base/deadline.ts";
import { findExceededLimit, findRepeatedNames, maxJsonDepth, maxJsonValues, parseJson } from "../../base/json.ts";
import { type ServiceError, Throttled } from "../../domain/errors.ts";
import type { ErrorCode } from "../../operations/errors.ts";
import { bodyLimits } from "../../operations/fields.ts";
import { InvalidInput, notAnObject } from "../../operations/invalid-input.ts";
import { defaultBodyTypes, type RequestBody } from "../../operations/operation.ts";
import type { ObjectSchema } from "../../operations/schema.ts";
import type { RepeatedNames, Values } from "../../validation/validator.ts";
import { BodyError, type MemoryBudget } from "../../wire/incoming-body.ts";
import type { WireRequest } from "../../wire/message.ts";
import type { Exchange } from "../exchange.ts";
import { connectionClose, HttpError } from "../http-error.ts";
import { parseList } from "./header-fields.ts";

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

export const defaultBodyLimits: BodyLimits = {
  maxBytes: bodyLimits.kibibytes * 1024,
  timeoutMs: bodyLimits.seconds * 1000,
};

interface Body {
  readonly values: Values;
  readonly repeated: RepeatedNames;
}

/** Reads a JSON object. If `isStrict`, also finds names that occur more than once. */
export async function readBody(
  exchange: Exchange,
  expected: ExpectedBody,
  limits: BodyLimits,
  memory: MemoryBudget | undefined,
  isStrict: boolean,
): Promise<Body> {
  const { request } = exchange;
  const declaredBytes = Number(request.headers.get("content-length"));
  if (declaredBytes === 0 && !request.headers.has("transfer-encoding")) return replaceMissing(expected);
  requireJson(request, expected);
  if (declaredBytes > limits.maxBytes) throw createTooLargeError(limits);
  exchange.bodyStartedAt = performance.now();
  const bytes = await withDeadline(limits.timeoutMs, collect(request, limits, memory), () => {
    const message = `The body did not arrive within ${limits.timeoutMs / 1000} seconds.`;
    return new HttpError("RequestTimeout", message, connectionClose);
  }).finally(() => {
    exchange.bodyMs = performance.now() - exchange.bodyStartedAt;
  });
  exchange.bodyBytes = bytes.length;
  if (bytes.length === 0) return replaceMissing(expected);
  const text = decode(bytes);
  return { values: parseObject(text), repeated: isStrict ? findRepeatedNames(text) : [] };
}

type ExpectedBody = Pick<RequestBody<ObjectSchema>, "types" | "isOptional">;

function replaceMissing({ isOptional }: ExpectedBody): Body {
  if (isOptional) return { values: {}, repeated: [] };
  throw new HttpError("BadRequest", "The body is missing. Send a JSON object.");
}

function requireJson({ method, headers }: WireRequest, { types = defaultBodyTypes }: ExpectedBody): void {
  // A shortcut: almost all clients send exactly this Content-Type.
  if (headers.get("content-type") === types[0] && !headers.has("content-encoding")) return;
  const [[type, ...parameters] = [], ...others] = parseList(headers.get("content-type"));
  const isUtf8 = parameters.every(({ name, value }) => name !== "charset" || value?.toLowerCase() === "utf-8");
  const acceptHeaders = { Accept: types.join(", "), ...(method === "PATCH" && { "Accept-Patch": types.join(", ") }) };
  if (!type || !types.includes(type.name) || !isUtf8 || others.length > 0) {
    const message = `Send the body as JSON in UTF-8, with Content-Type: ${types.join(" or ")}.`;
    throw new HttpError("UnsupportedMediaType", message, acceptHeaders);
  }
  const encoding = headers.get("content-encoding")?.toLowerCase() ?? "identity";
  if (encoding !== "identity") {
    const message = "Send the body uncompressed, without Content-Encoding.";
    throw new HttpError("UnsupportedMediaType", message, { ...acceptHeaders, "Accept-Encoding": "identity" });
  }
}

/** Throws if the body is malformed or incomplete, even if the operation takes no body: the request may not be what its sender meant. */
export function requireNoBrokenBody({ body: { failure } }: WireRequest, limits: BodyLimits): void {
  if (failure) throw failures[failure.reason](limits);
}

async function collect({ body }: WireRequest, limits: BodyLimits, memory?: MemoryBudget): Promise<Uint8Array> {
  try {
    return await body.collect({ maxBytes: limits.maxBytes, maxChunks: bodyLimits.chunks, memory });
  } catch (error) {
    throw error instanceof BodyError ? failures[error.reason](limits) : error;
  }
}

const failures: Readonly<Record<BodyError["reason"], (limits: BodyLimits) => ServiceError<ErrorCode>>> = {
  tooLarge: (limits) => createTooLargeError(limits, connectionClose),
  tooManyChunks: () =>
    new HttpError(
      "BadRequest",
      `The body comes in too many chunks. Send at most ${bodyLimits.chunks}.`,
      connectionClose,
    ),
  noMemory: () => new Throttled("bodies", "Too many large bodies are being received. Try again in a moment.", 1),
  malformed: () => new HttpError("BadRequest", "The body is not in well-formed chunks (RFC 9112).", connectionClose),
  incomplete: () => new HttpError("BadRequest", "The body ended before it was complete."),
};

const decoder = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new HttpError("BadRequest", "The body is not valid UTF-8.");
  }
}

function parseObject(text: string): Values {
  const excess = findExceededLimit(text);
  if (excess) throw new HttpError("BadRequest", excessMessages[excess]);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw new HttpError("BadRequest", "The body is not valid JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new InvalidInput([notAnObject]);
  return value as Values;
}

const excessMessages = {
  depth: `The body is nested too deeply. Nest at most ${maxJsonDepth} arrays and objects.`,
  values: `The body has too many fields and items. Send at most ${maxJsonValues}.`,
};

function createTooLargeError({ maxBytes }: BodyLimits, headers?: HttpError["headers"]): HttpError {
  return new HttpError("PayloadTooLarge", `The body is too large. Send at most ${maxBytes} bytes.`, headers);
}
