import { Shared, useShared } from "./shared.ts";

export interface Address {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

const current = new Shared(readAddress());
addEventListener("popstate", () => current.set(readAddress()));

export function useAddress(): Address {
  return useShared(current);
}

/** Changes the address. Undefined parameters are removed. */
export function go(change: Partial<Address>, how: "push" | "replace" = "push"): void {
  const target = formatAddress({ ...current.value, ...change });
  if (target === location.pathname + location.search) return;
  history[how === "push" ? "pushState" : "replaceState"](null, "", target);
  current.set(readAddress());
}

/** Changes some parameters of the current address. */
export function changeParameters(parameters: Address["parameters"], how?: "push" | "replace"): void {
  go({ parameters: { ...current.value.parameters, ...parameters } }, how);
}

export function formatAddress({ path, parameters }: Address): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) search.set(name, value);
  return search.size > 0 ? `${path}?${search}` : path;
}

function readAddress(): Address {
  return { path: location.pathname, parameters: Object.fromEntries(new URLSearchParams(location.search)) };
}
