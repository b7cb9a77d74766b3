import type { Int64 } from "../../client/index.ts";
import { useAddress } from "./address.ts";

/** An animal, an order or a webhook that is shown over a view, by its number. What is undefined is closed. */
interface Opened {
  readonly animal?: Int64 | undefined;
  readonly order?: Int64 | undefined;
  readonly webhook?: Int64 | undefined;
}

/** The address of what people see now, with something open over it. */
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
