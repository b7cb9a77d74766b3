import { useState } from "react";

interface Option {
  readonly id: string;
}

/**
 * Returns the active option of a list, which keys and pointer move. It is known by its id, because the list may change,
 * and stays active while a search has lost it.
 */
export function useActiveOption<Some extends Option>({
  options,
  first,
  isSearching,
}: {
  options: readonly Some[];
  first: Some | undefined;
  isSearching: boolean;
}) {
  const [picked, pick] = useState<Some>();
  const listed = options.find(({ id }) => id === picked?.id);
  const active = listed ?? (isSearching ? picked : undefined) ?? first;
  return {
    active,
    isPicked: picked !== undefined && active?.id === picked.id,
    pick,
    move(step: 1 | -1): void {
      const from = options.findIndex(({ id }) => id === active?.id);
      pick(from === -1 ? options.at(step === 1 ? 0 : -1) : options.at((from + step) % options.length));
    },
  };
}

export function arrowKeyStep(key: string): 1 | -1 | undefined {
  if (key === "ArrowDown") return 1;
  return key === "ArrowUp" ? -1 : undefined;
}
