import type { ComponentProps, MouseEvent } from "react";
import type { Int64 } from "../../../packages/client/src/index.ts";
import { Shared, useShared } from "./shared.ts";

interface Address {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

const currentAddress = new Shared(readAddress());
addEventListener("popstate", () => currentAddress.set(readAddress()));

export function useAddress(): Address {
  return useShared(currentAddress);
}

export function navigate(change: Partial<Address>, how: "push" | "replace" = "push"): void {
  const { path, parameters } = { ...currentAddress.value, ...change };
  const target = formatAddress(path, parameters);
  if (target === location.pathname + location.search) return;
  history[`${how}State`](null, "", target);
  currentAddress.set(readAddress());
}

export function changeParameters(parameters: Address["parameters"], how?: "push" | "replace"): void {
  navigate({ parameters: { ...currentAddress.value.parameters, ...parameters } }, how);
}

function formatAddress(path: string, parameters: Readonly<Record<string, Int64 | string | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value) search.set(name, String(value));
  return search.size > 0 ? `${path}?${search}` : path;
}

function readAddress(): Address {
  return { path: location.pathname, parameters: Object.fromEntries(new URLSearchParams(location.search)) };
}

/** Returns a function that computes the URL of the current view with dialogs opened by id, or closed by an undefined id. */
export function useDialogUrl() {
  const { path, parameters } = useAddress();
  return (dialogs: Readonly<Partial<Record<"animal" | "order" | "webhook", Int64 | undefined>>>) =>
    formatAddress(path, { ...parameters, ...dialogs });
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
