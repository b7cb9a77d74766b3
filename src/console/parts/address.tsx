import type { ComponentProps, MouseEvent } from "react";
import type { Int64 } from "../../../packages/client/src/index.ts";
import { Shared, useShared } from "./shared.ts";

interface Address {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

const current = new Shared(readAddress());
addEventListener("popstate", () => current.set(readAddress()));

export function useAddress(): Address {
  return useShared(current);
}

/** Changes the address. Undefined parameters are removed. */
export function navigate(change: Partial<Address>, how: "push" | "replace" = "push"): void {
  const target = formatAddress({ ...current.value, ...change });
  if (target === location.pathname + location.search) return;
  history[how === "push" ? "pushState" : "replaceState"](null, "", target);
  current.set(readAddress());
}

export function changeParameters(parameters: Address["parameters"], how?: "push" | "replace"): void {
  navigate({ parameters: { ...current.value.parameters, ...parameters } }, how);
}

function formatAddress({ path, parameters }: Address): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) search.set(name, value);
  return search.size > 0 ? `${path}?${search}` : path;
}

function readAddress(): Address {
  return { path: location.pathname, parameters: Object.fromEntries(new URLSearchParams(location.search)) };
}

/** The dialogs that are open over a view. Undefined closes one. */
type Opened = Readonly<Partial<Record<"animal" | "order" | "webhook", Int64 | undefined>>>;

/** Returns the current address with something open over it. */
export function useDialogAddress(): (opened: Opened) => string {
  const { path, parameters } = useAddress();
  return (opened) => {
    const texts = Object.entries(opened).map(([name, id]) => [name, id === undefined ? undefined : String(id)]);
    return formatAddress({ path, parameters: { ...parameters, ...Object.fromEntries(texts) } });
  };
}

export function Link({ to, ...attributes }: { to: string } & Omit<ComponentProps<"a">, "href" | "onClick">) {
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const { pathname, searchParams } = new URL(to, location.origin);
    navigate({ path: pathname, parameters: Object.fromEntries(searchParams) });
  };
  return <a {...attributes} href={to} onClick={follow} />;
}
