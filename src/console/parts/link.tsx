import type { ComponentProps, MouseEvent } from "react";
import { go } from "./address.ts";

export function Link({ to, ...attributes }: { to: string } & Omit<ComponentProps<"a">, "href" | "onClick">) {
  const follow = (event: MouseEvent) => {
    // With a modifier, the browser opens a new tab.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const { pathname, searchParams } = new URL(to, location.origin);
    go({ path: pathname, parameters: Object.fromEntries(searchParams) });
  };
  return <a {...attributes} href={to} onClick={follow} />;
}
