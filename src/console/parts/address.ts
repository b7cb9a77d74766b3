import { useSyncExternalStore } from "react";

export interface Address {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

export function useAddress(): Address {
  return useSyncExternalStore(subscribe, currentAddress);
}

/** Changes the address. Undefined parameters are removed. */
export function go(change: Partial<Address>, how: "push" | "replace" = "push"): void {
  const { path, parameters } = { ...currentAddress(), ...change };
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) search.set(name, value);
  const target = path + (search.size > 0 ? `?${search}` : "");
  if (target === location.pathname + location.search) return;
  history[how === "push" ? "pushState" : "replaceState"](null, "", target);
  for (const listener of listeners) listener();
}

/** Changes some parameters of the current address. */
export function changeParameters(parameters: Address["parameters"], how?: "push" | "replace"): void {
  go({ parameters: { ...currentAddress().parameters, ...parameters } }, how);
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("popstate", listener);
  };
}

/** Cached: every link of the page reads it. */
function currentAddress(): Address {
  const { pathname, search } = location;
  if (known?.pathname !== pathname || known.search !== search) {
    const parameters = Object.fromEntries(new URLSearchParams(search));
    known = { pathname, search, address: { path: pathname, parameters } };
  }
  return known.address;
}

let known: { readonly pathname: string; readonly search: string; readonly address: Address } | undefined;
