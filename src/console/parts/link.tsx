import type { ComponentProps, MouseEvent } from "react";
import { go } from "./address.ts";

/** Leads to another view without loading the page again. */
export function Link({ to, ...attributes }: { to: string } & Omit<ComponentProps<"a">, "href" | "onClick">) {
  const follow = (event: MouseEvent) => {
    // A click with a modifier opens a new tab, as it does everywhere.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const { pathname, searchParams } = new URL(to, location.origin);
    go({ path: pathname, parameters: Object.fromEntries(searchParams) });
  };
  return <a {...attributes} href={to} onClick={follow} />;
}
