import { useState } from "react";

interface Option {
  readonly id: string;
}

/**
 * Which option of a list the arrow keys or the pointer have come to. The list may change meanwhile, as answers come, so that it is
 * known by what it is, not by where it stands; and while more may come, it is still meant if the list has lost it.
 */
export function useActiveOption<Some extends Option>({
  options,
  first,
  isSearching,
}: {
  options: readonly Some[];
  /** What is active before anything was picked. */
  first: Some | undefined;
  isSearching: boolean;
}) {
  const [picked, pick] = useState<Some>();
  const listed = options.find(({ id }) => id === picked?.id);
  const active = listed ?? (isSearching ? picked : undefined) ?? first;
  return {
    active,
    /** Whether somebody has picked what is active. */
    isPicked: picked !== undefined && active?.id === picked.id,
    pick,
    move(step: 1 | -1): void {
      const from = options.findIndex(({ id }) => id === active?.id);
      pick(from === -1 ? options.at(step === 1 ? 0 : -1) : options.at((from + step) % options.length));
    },
  };
}

/** The step of an arrow key through a list. */
export function stepOf(key: string): 1 | -1 | undefined {
  if (key === "ArrowDown") return 1;
  return key === "ArrowUp" ? -1 : undefined;
}
