import { useCallback, useSyncExternalStore } from "react";

/** What the address bar says: which view, and what of it. */
export interface Address {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

export type Go = (change: Partial<Address>, how?: "push" | "replace") => void;

/** The address, and a way to change it. An undefined parameter is left out. */
export function useAddress(): [Address, Go] {
  const text = useSyncExternalStore(subscribe, () => location.pathname + location.search);
  const go = useCallback<Go>((change, how = "push") => {
    const { path, parameters } = { ...read(location.pathname + location.search), ...change };
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) if (value) search.set(name, value);
    const target = path + (search.size > 0 ? `?${search}` : "");
    if (target === location.pathname + location.search) return;
    history[how === "push" ? "pushState" : "replaceState"](null, "", target);
    for (const listener of listeners) listener();
  }, []);
  return [read(text), go];
}

/** The parameters as they are now, since several of them may change between two drawings of the page. */
export function currentParameters(): Address["parameters"] {
  return Object.fromEntries(new URLSearchParams(location.search));
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

function read(text: string): Address {
  const { pathname, searchParams } = new URL(text, "http://here");
  return { path: pathname, parameters: Object.fromEntries(searchParams) };
}
