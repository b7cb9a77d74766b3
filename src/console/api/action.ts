import { type UseMutationOptions, type UseMutationResult, useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { AnimalStoreError, ApiError } from "../../../packages/client/src/index.ts";
import { readSent, saveSent } from "../parts/drafts.ts";
import { isUnreachable, SessionEnded } from "../parts/errors.ts";

type Options<Result, Argument> = Omit<UseMutationOptions<Result, Error, Argument>, "mutationFn"> & {
  /** Gets the same idempotency key for the same argument until the outcome of the request is known. */
  mutationFn(argument: Argument, options: { readonly idempotencyKey: string }): Promise<Result>;
  /** The name of a stored draft, with which the idempotency keys are stored. */
  readonly draft?: string;
};

/** While the action is pending, another `run` does nothing. */
export function useAction<Result, Argument = void>(
  options: Options<Result, Argument>,
): UseMutationResult<Result, Error, Argument> & { run(argument: Argument): void } {
  const submission = useSubmission(options.draft);
  // The library adopts new callbacks only after painting; the user may press Enter earlier.
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
    await action.mutateAsync(argument).catch(() => {});
    isRunning.current = false;
  };
  return { ...action, run };
}

/** The idempotency keys of a form. With a draft, they survive a reload, so that a retry after a lost response has no second effect. */
export class Submission {
  readonly #keys: Map<string, string>;

  constructor(private readonly draft?: string) {
    this.#keys = new Map(draft === undefined ? [] : readSent(draft));
  }

  optionsFor(content: unknown): { readonly idempotencyKey: string } {
    const text = serialize(content);
    const idempotencyKey = this.#keys.get(text) ?? randomId();
    this.#keys.set(text, idempotencyKey);
    this.#save();
    return { idempotencyKey };
  }

  /** Lets the same content get a new idempotency key, unless the request may have arrived. */
  settle(content: unknown, error: unknown): void {
    if (mayHaveArrived(error)) return;
    if (!error) this.#keys.clear();
    this.#keys.delete(serialize(content));
    this.#save();
  }

  #save(): void {
    if (this.draft !== undefined) saveSent(this.draft, [...this.#keys]);
  }
}

export function useSubmission(draft?: string): Submission {
  const submission = useRef<Submission>(undefined);
  submission.current ??= new Submission(draft);
  return submission.current;
}

/** True if the store may have executed the request. With Retry-After, an earlier attempt may be in progress. */
export function mayHaveArrived(error: unknown): boolean {
  if (error instanceof SessionEnded) return error.wasSent || error.mayHaveSucceeded;
  if (error instanceof ApiError && error.retryAfterMs !== undefined) return true;
  return error instanceof AnimalStoreError && error.mayHaveSucceeded;
}

export function isTransient(error: unknown): boolean {
  if (error instanceof SessionEnded) return false;
  const hasTransientCode = error instanceof ApiError && transientCodes.includes(error.code);
  return hasTransientCode || isUnreachable(error) || mayHaveArrived(error);
}

const transientCodes: readonly string[] = ["TooManyRequests", "InternalServerError", "ServiceUnavailable"];

function serialize(content: unknown): string {
  return JSON.stringify(content, (_, value) => (typeof value === "bigint" ? value.toString() : value)) ?? "";
}

/** Browsers offer `randomUUID` only on https and on localhost. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
