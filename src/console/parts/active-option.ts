import { useState } from "react";

/**
 * Returns the active option of a list. The arrow keys and the pointer activate other options. The active option is identified by its
 * id, because the list may change. While a search is in flight, an active option stays active even if the list no longer contains it.
 */
export function useActiveOption<Option extends { readonly id: string }>(
  options: readonly Option[],
  first: Option | undefined,
  isSearching: boolean,
) {
  const [pickedOption, pick] = useState<Option>();
  const listedOption = options.find(({ id }) => id === pickedOption?.id);
  const active = listedOption ?? (isSearching ? pickedOption : undefined) ?? first;
  return {
    active,
    isPicked: pickedOption !== undefined && active?.id === pickedOption.id,
    pick,
    move(step: 1 | -1): void {
      const from = options.findIndex(({ id }) => id === active?.id);
      pick(from === -1 ? options.at(step === 1 ? 0 : -1) : options.at((from + step) % options.length));
    },
  };
}

export function toArrowKeyStep(key: string): 1 | -1 | undefined {
  if (key === "ArrowDown") return 1;
  return key === "ArrowUp" ? -1 : undefined;
}
