import { type UseMutationOptions, type UseMutationResult, useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { AnimalStoreError, ApiError } from "../../../packages/client/src/index.ts";
import { readSent, saveSent } from "../parts/drafts.ts";
import { isUnreachable, SessionEnded } from "./errors.ts";

type Options<Result, Argument> = Omit<UseMutationOptions<Result, Error, Argument>, "mutationFn"> & {
  /** The options name what is sent: they stay the same for the same argument until its outcome is known. */
  mutationFn(argument: Argument, options: { readonly idempotencyKey: string }): Promise<Result>;
  /** The name of the draft with which the browser keeps what was sent. */
  readonly draft?: string;
};

/** An action that the user starts. While it is in progress, a second click does nothing. */
export function useAction<Result, Argument = void>(
  options: Options<Result, Argument>,
): UseMutationResult<Result, Error, Argument> & { run(argument: Argument): void } {
  const submission = useSubmission(options.draft);
  // The library adopts new callbacks only after painting, and Enter may come before that.
  const latest = useRef(options);
  latest.current = options;
  const action = useMutation<Result, Error, Argument>({
    ...options,
    onSuccess: (...given) => latest.current.onSuccess?.(...given),
    onError: (...given) => latest.current.onError?.(...given),
    onSettled(result, error, argument, ...given) {
      submission.settle(argument, error);
      return latest.current.onSettled?.(result, error, argument, ...given);
    },
    mutationFn: async (argument) => await latest.current.mutationFn(argument, submission.optionsFor(argument)),
  });
  const isRunning = useRef(false);
  const run = async (argument: Argument) => {
    if (isRunning.current) return;
    isRunning.current = true;
    // The component shows the error from the state of the action.
    await action.mutateAsync(argument).catch(() => {});
    isRunning.current = false;
  };
  return { ...action, run };
}

/**
 * Idempotency keys of what the user sends. The same content keeps its key until its outcome is known, so that another
 * try after a lost response does not do it twice. With a draft, the keys survive a reload.
 */
export class Submission {
  readonly #names: Map<string, string>;
  readonly #draft: string | undefined;

  constructor(draft?: string) {
    this.#draft = draft;
    this.#names = new Map(draft === undefined ? [] : readSent(draft));
  }

  optionsFor(content: unknown): { readonly idempotencyKey: string } {
    const text = textOf(content);
    const idempotencyKey = this.#names.get(text) ?? randomId();
    this.#names.set(text, idempotencyKey);
    this.#keep();
    return { idempotencyKey };
  }

  /**
   * Call it with the outcome. After a success or a refusal, the same content is new; after anything else, it may have
   * arrived.
   */
  settle(content: unknown, error: unknown): void {
    if (mayHaveArrived(error)) return;
    if (!error) this.#names.clear();
    this.#names.delete(textOf(content));
    this.#keep();
  }

  #keep(): void {
    if (this.#draft !== undefined) saveSent(this.#draft, [...this.#names]);
  }
}

export function useSubmission(draft?: string): Submission {
  const submission = useRef<Submission>(undefined);
  submission.current ??= new Submission(draft);
  return submission.current;
}

/** True if the store may have done it; also if the store says to retry later, since an earlier try may be in progress. */
export function mayHaveArrived(error: unknown): boolean {
  if (error instanceof SessionEnded) return error.wasSent || error.mayHaveSucceeded;
  if (error instanceof ApiError && error.retryAfterMs !== undefined) return true;
  return error instanceof AnimalStoreError && error.mayHaveSucceeded;
}

export function isTransient(error: unknown): boolean {
  if (error instanceof SessionEnded) return false;
  const isForAWhile = error instanceof ApiError && passing.includes(error.code);
  return isForAWhile || isUnreachable(error) || mayHaveArrived(error);
}

const passing: readonly string[] = ["TooManyRequests", "InternalServerError", "ServiceUnavailable"];

function textOf(content: unknown): string {
  return JSON.stringify(content, (_, value) => (typeof value === "bigint" ? value.toString() : value)) ?? "";
}

/** Returns a unique name. Browsers have `randomUUID` only on https and on localhost. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
