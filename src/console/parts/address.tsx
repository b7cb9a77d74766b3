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

/** Changes the address of the page. Undefined parameters are removed. */
export function navigate(change: Partial<Address>, how: "push" | "replace" = "push"): void {
  const target = formatAddress({ ...current.value, ...change });
  if (target === location.pathname + location.search) return;
  history[`${how}State`](null, "", target);
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

/** The ids of resources whose dialogs are open over a view. Undefined closes a dialog. */
type OpenDialogs = Readonly<Partial<Record<"animal" | "order" | "webhook", Int64 | undefined>>>;

/** Returns a function that computes the current address with other dialogs open. */
export function useDialogUrl(): (dialogs: OpenDialogs) => string {
  const { path, parameters } = useAddress();
  return (dialogs) => {
    const texts = Object.entries(dialogs).map(([name, id]) => [name, id === undefined ? undefined : String(id)]);
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
