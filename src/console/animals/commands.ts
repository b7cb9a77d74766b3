import { useEffect } from "react";
import { Shared, useShared } from "../parts/shared.ts";

export type AnimalCommand = "export" | "import";

const waiting = new Shared<AnimalCommand | undefined>(undefined);

/** Requests a command from the view: now, or when it is shown next. */
export function sendAnimalCommand(command: AnimalCommand): void {
  waiting.set(command);
}

export function useAnimalCommands(obey: (command: AnimalCommand) => void): void {
  const command = useShared(waiting);
  useEffect(() => {
    if (!command) return;
    waiting.set(undefined);
    obey(command);
  });
}
