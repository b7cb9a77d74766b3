import type { Int64 } from "../../client/index.ts";
import { useAddress } from "./address.ts";

/** What is open over a view. Undefined closes it. */
interface Opened {
  readonly animal?: Int64 | undefined;
  readonly order?: Int64 | undefined;
  readonly webhook?: Int64 | undefined;
}

/** Returns the current address with something open over it. */
export function useOpening(): (opened: Opened) => string {
  const { path, parameters } = useAddress();
  return (opened) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...parameters, ...opened })) {
      if (value !== undefined) search.set(name, String(value));
    }
    return search.size > 0 ? `${path}?${search}` : path;
  };
}
