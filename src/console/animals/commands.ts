import { useEffect } from "react";
import { Shared, useShared } from "../parts/shared.ts";

export type AnimalCommand = "export" | "import";

const pendingCommand = new Shared<AnimalCommand | undefined>(undefined);

/** Runs a command in the animals view, now or as soon as the view is shown. */
export function sendAnimalCommand(command: AnimalCommand): void {
  pendingCommand.set(command);
}

export function useAnimalCommands(onCommand: (command: AnimalCommand) => void): void {
  const command = useShared(pendingCommand);
  useEffect(() => {
    if (!command) return;
    pendingCommand.set(undefined);
    onCommand(command);
  });
}
