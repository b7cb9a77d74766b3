import { useEffect } from "react";
import { sharedValue } from "../parts/shared-value.ts";

/** What the palette can request from the view of animals. */
export type AnimalCommand = "export" | "import";

const waiting = sharedValue<AnimalCommand | undefined>(undefined);

/** Requests a command from the view: now, or when it is shown next. */
export const commandAnimals = waiting.set;

export function useAnimalCommands(obey: (command: AnimalCommand) => void): void {
  const command = waiting.use();
  useEffect(() => {
    if (!command) return;
    waiting.set(undefined);
    obey(command);
  });
}
