import { type UseMutationOptions, type UseMutationResult, useMutation } from "@tanstack/react-query";
import { useRef } from "react";

/** Something that a person starts. While it is in progress, a second click does nothing. */
export function useAction<Result, Argument = void>(
  options: UseMutationOptions<Result, Error, Argument>,
): UseMutationResult<Result, Error, Argument> & { run(argument: Argument): void } {
  const action = useMutation(options);
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
