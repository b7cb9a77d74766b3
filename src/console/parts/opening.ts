import type { Int64 } from "../../../packages/client/src/index.ts";
import { formatAddress, useAddress } from "./address.ts";

/** The dialogs that are open over a view. Undefined closes one. */
type Opened = Readonly<Partial<Record<"animal" | "order" | "webhook", Int64 | undefined>>>;

/** Returns the current address with something open over it. */
export function useOpening(): (opened: Opened) => string {
  const { path, parameters } = useAddress();
  return (opened) => {
    const texts = Object.entries(opened).map(([name, id]) => [name, id === undefined ? undefined : String(id)]);
    return formatAddress({ path, parameters: { ...parameters, ...Object.fromEntries(texts) } });
  };
}
