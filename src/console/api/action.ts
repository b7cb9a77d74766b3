import { type UseMutationOptions, type UseMutationResult, useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { AnimalStoreError, ApiError } from "../../../packages/client/src/index.ts";
import { readIdempotencyKeys, saveIdempotencyKeys } from "../parts/drafts.ts";
import { isUnreachable, SessionEnded } from "../parts/errors.ts";

type Options<Result, Argument> = Omit<UseMutationOptions<Result, Error, Argument>, "mutationFn"> & {
  /** Receives the same idempotency key for the same argument until the outcome of the request is known. */
  mutationFn(argument: Argument, options: { readonly idempotencyKey: string }): Promise<Result>;
  /** The name of the form's stored draft. The idempotency keys are stored under the same name. */
  readonly draft?: string;
};

/** Returns a mutation with idempotency keys. While the action is pending, calls of `run` have no effect. */
export function useAction<Result, Argument = void>(
  options: Options<Result, Argument>,
): UseMutationResult<Result, Error, Argument> & { run(argument: Argument): void } {
  const idempotencyKeys = useIdempotencyKeys(options.draft);
  // React Query adopts new callbacks only after painting, but the user may press Enter before that.
  const latestOptions = useRef(options);
  latestOptions.current = options;
  const action = useMutation<Result, Error, Argument>({
    ...options,
    onSuccess: (...args) => latestOptions.current.onSuccess?.(...args),
    onError: (...args) => latestOptions.current.onError?.(...args),
    onSettled(result, error, argument, ...given) {
      idempotencyKeys.recordOutcome(argument, error);
      return latestOptions.current.onSettled?.(result, error, argument, ...given);
    },
    mutationFn: async (argument) =>
      await latestOptions.current.mutationFn(argument, idempotencyKeys.createOptions(argument)),
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

/** The idempotency keys of a form. Keys of a stored draft survive a reload, so that a retry after a lost response has no second effect. */
export class IdempotencyKeys {
  readonly #keys: Map<string, string>;

  constructor(private readonly draft?: string) {
    this.#keys = new Map(draft === undefined ? [] : readIdempotencyKeys(draft));
  }

  createOptions(content: unknown): { readonly idempotencyKey: string } {
    const text = serialize(content);
    const idempotencyKey = this.#keys.get(text) ?? generateId();
    this.#keys.set(text, idempotencyKey);
    this.#save();
    return { idempotencyKey };
  }

  /** Discards the key of the content, unless the outcome of the request is unknown: a retry then needs the same key. */
  recordOutcome(content: unknown, error: unknown): void {
    if (mayHaveArrived(error)) return;
    if (!error) this.#keys.clear();
    this.#keys.delete(serialize(content));
    this.#save();
  }

  #save(): void {
    if (this.draft !== undefined) saveIdempotencyKeys(this.draft, [...this.#keys]);
  }
}

export function useIdempotencyKeys(draft?: string): IdempotencyKeys {
  const idempotencyKeys = useRef<IdempotencyKeys>(undefined);
  idempotencyKeys.current ??= new IdempotencyKeys(draft);
  return idempotencyKeys.current;
}

/** True if the store may have executed the request. A response with Retry-After may mean that an earlier attempt is in progress. */
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

/** Avoids `crypto.randomUUID`, which browsers offer only on https and on localhost. */
export function generateId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
