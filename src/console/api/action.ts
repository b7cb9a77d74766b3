import { type UseMutationOptions, type UseMutationResult, useMutation } from "@tanstack/react-query";
import { useRef } from "react";

/** Something that a person starts. While it is in progress, a second click does nothing. */
export function useAction<Result, Argument = void>(
  options: UseMutationOptions<Result, Error, Argument>,
): UseMutationResult<Result, Error, Argument> & { run(argument: Argument): void } {
  const latest = useRef(options);
  latest.current = options;
  const action = useMutation<Result, Error, Argument>({
    ...options,
    // As they were drawn last: the library takes new ones over only when the browser has painted, and Enter may come before that.
    onSuccess: (...given) => latest.current.onSuccess?.(...given),
    onError: (...given) => latest.current.onError?.(...given),
    onSettled: (...given) => latest.current.onSettled?.(...given),
    async mutationFn(argument, context) {
      const { mutationFn } = latest.current;
      if (!mutationFn) throw new Error("An action has to say what it does.");
      return await mutationFn(argument, context);
    },
  });
  const isRunning = useRef(false);
  const run = (argument: Argument) => {
    if (isRunning.current) return;
    isRunning.current = true;
    action
      .mutateAsync(argument)
      // The error is shown by the component that reads the action's state.
      .catch(() => {})
      .finally(() => {
        isRunning.current = false;
      });
  };
  return { ...action, run };
}
