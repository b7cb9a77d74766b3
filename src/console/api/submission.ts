import { useRef } from "react";
import { AnimalStoreError, ApiError } from "../../client/index.ts";
import { keepSent, sentOf } from "../parts/drafts.ts";
import { isUnreachable, SessionEnded } from "./errors.ts";

/**
 * Names what a person sends, so that another try after the connection was lost does not do it twice, as the client's own
 * retries do not. The same content has the same name until the store has said what came of it. What has a draft is named as long as
 * that is kept, also across a reload.
 */
export class Submission {
  readonly #names: Map<string, string>;
  readonly #draft: string | undefined;

  constructor(draft?: string) {
    this.#draft = draft;
    this.#names = new Map(draft === undefined ? [] : sentOf(draft));
  }

  /** The option of a call that names it. */
  of(content: unknown): { readonly idempotencyKey: string } {
    const text = textOf(content);
    const idempotencyKey = this.#names.get(text) ?? randomName();
    this.#names.set(text, idempotencyKey);
    this.#keep();
    return { idempotencyKey };
  }

  /** After a success, and after a refusal, the same content is something new. After anything else, it may have arrived. */
  settle(content: unknown, error: unknown): void {
    if (mayHaveArrived(error)) return;
    if (!error) this.#names.clear();
    this.#names.delete(textOf(content));
    this.#keep();
  }

  #keep(): void {
    if (this.#draft !== undefined) keepSent(this.#draft, [...this.#names]);
  }
}

/** `draft` is what the content is kept by until it is sent, if it is. */
export function useSubmission(draft?: string): Submission {
  const submission = useRef<Submission>(undefined);
  submission.current ??= new Submission(draft);
  return submission.current;
}

/** Also where the store says to come back: then an earlier try may still be in progress. */
export function mayHaveArrived(error: unknown): boolean {
  if (error instanceof SessionEnded) return error.wasSent || error.mayHaveSucceeded;
  if (error instanceof ApiError && error.retryAfterMs !== undefined) return true;
  return error instanceof AnimalStoreError && error.mayHaveSucceeded;
}

/** Whether the same may succeed at another try: the store could not be reached, or was not able to do it for a while. */
export function mayPass(error: unknown): boolean {
  if (error instanceof SessionEnded) return false;
  const isForAWhile = error instanceof ApiError && passing.includes(error.code);
  return isForAWhile || isUnreachable(error) || mayHaveArrived(error);
}

const passing: readonly string[] = ["TooManyRequests", "InternalServerError", "ServiceUnavailable"];

function textOf(content: unknown): string {
  return JSON.stringify(content, (_, value) => (typeof value === "bigint" ? value.toString() : value)) ?? "";
}

/** Returns a unique name. Browsers have `randomUUID` only on https and on localhost. */
export function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
