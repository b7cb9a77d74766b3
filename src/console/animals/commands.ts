import { useEffect } from "react";
import { Shared, useShared } from "../parts/shared.ts";

export type AnimalCommand = "export" | "import";

const pending = new Shared<AnimalCommand | undefined>(undefined);

/** Runs a command in the animals view, now or as soon as the view is shown. */
export function sendAnimalCommand(command: AnimalCommand): void {
  pending.set(command);
}

export function useAnimalCommands(onCommand: (command: AnimalCommand) => void): void {
  const command = useShared(pending);
  useEffect(() => {
    if (!command) return;
    pending.set(undefined);
    onCommand(command);
  });
}
