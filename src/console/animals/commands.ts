import { useEffect } from "react";

/** What can be asked of the view of animals from elsewhere. */
export type AnimalCommand = "export" | "import";

/** Has the view do something: now, or when it is shown next. */
export function commandAnimals(command: AnimalCommand): void {
  if (current) current(command);
  else waiting = command;
}

export function useAnimalCommands(obey: (command: AnimalCommand) => void): void {
  useEffect(() => {
    current = obey;
    const command = waiting;
    waiting = undefined;
    if (command) obey(command);
    return () => {
      current = undefined;
    };
  }, [obey]);
}

let current: ((command: AnimalCommand) => void) | undefined;
let waiting: AnimalCommand | undefined;
