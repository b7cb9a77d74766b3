import { type UseMutationOptions, type UseMutationResult, useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { useSubmission } from "./submission.ts";

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
    mutationFn: async (argument) => await latest.current.mutationFn(argument, submission.of(argument)),
  });
  const isRunning = useRef(false);
  const run = (argument: Argument) => {
    if (isRunning.current) return;
    isRunning.current = true;
    action
      .mutateAsync(argument)
      // The component shows the error from the state of the action.
      .catch(() => {})
      .finally(() => {
        isRunning.current = false;
      });
  };
  return { ...action, run };
}
