import { parseJson, toJson } from "../base/json.ts";
import { type Claim, claimedByOtherVersion, claimedForAnother } from "../domain/claim.ts";
import { PassingError, type RefusalCode, ServiceError } from "../domain/errors.ts";

/** What a write came to: its result, or why it was refused. */
export type Conclusion = ({ readonly result?: unknown } | { readonly refusal: Refusal }) & {
  /** Whether it was kept from the first time that the write was asked for. */
  readonly isReplay?: boolean;
};

export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  /** Of a temporary refusal, which is not stored. */
  readonly retryAfterSeconds?: number;
}

/** A refusal is of the store's own rules, and leaves nothing behind; any other error is not for this to judge. */
export function asRefusal(error: unknown): Conclusion {
  if (!(error instanceof ServiceError)) throw error;
  const { code, message } = error;
  const passing = error instanceof PassingError && { retryAfterSeconds: error.retryAfterSeconds };
  return { refusal: { code, message, ...passing } };
}

/** Errors in the request itself or of its sender are checked again each time, and so are temporary ones. */
export function isKept(conclusion: Conclusion): boolean {
  if (!("refusal" in conclusion)) return true;
  const { code, retryAfterSeconds } = conclusion.refusal;
  return retryAfterSeconds === undefined && code !== "BadRequest" && code !== "Forbidden";
}

/** The result. Throws the refusal, if it is one. */
export function resultOf(conclusion: Conclusion): unknown {
  if (!("refusal" in conclusion)) return conclusion.result;
  const { code, message, retryAfterSeconds } = conclusion.refusal;
  throw retryAfterSeconds === undefined
    ? new ServiceError(code, message)
    : new PassingError(code, message, retryAfterSeconds);
}

/** What is kept of a claim. */
export interface KeptClaim {
  readonly fingerprint: Uint8Array;
  readonly conclusion: string;
}

export function textOf(conclusion: Conclusion): string {
  return toJson({ version, ...conclusion });
}

/**
 * What the claim came to when it was first made. Throws UnprocessableContent if it was made for something else, or by a
 * version of the program that wrote results in another way.
 */
export function recall(kept: KeptClaim, { fingerprint }: Pick<Claim, "fingerprint">): Conclusion {
  if (Buffer.compare(kept.fingerprint, fingerprint) !== 0) throw claimedForAnother();
  const { version: writtenAs = version, ...conclusion } = parseJson(kept.conclusion) as Conclusion & {
    version?: number;
  };
  if (writtenAs !== version) throw claimedByOtherVersion();
  return { ...conclusion, isReplay: true };
}

/** Another as soon as results are written in a way that a program of before would misread. */
const version = 1;

/** A claim is for one write: the outcome of a second would be that of the first, taken for something else. */
export function forOneWrite<Write extends (...args: never[]) => Promise<unknown>>(write: Write): Write {
  let isUsed = false;
  return ((...args) => {
    if (isUsed) throw new Error("A claim was used for two writes.");
    isUsed = true;
    return write(...args);
  }) as Write;
}

/** What a write that refuses after it has changed something is ended with, so that nothing of its transaction is kept. */
export class LateRefusal extends Error {
  constructor(refusal: unknown) {
    super("A write refused after it had changed something.", { cause: refusal });
  }
}

/** How a line is written in the store, where no key has the id 0. */
export function lineIdOf({ line }: Pick<Claim, "line">): number {
  return line === "environment" ? 0 : line;
}

export const claimLifetimeMs = 24 * 60 * 60 * 1000;

/** How many rows one step of tidying takes, so that no other write waits long for it. */
export const tidyingStep = 1_000;
