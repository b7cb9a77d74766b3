import { useSyncExternalStore } from "react";

/** Whether somebody has moved, pressed, touched or scrolled anything since the page was opened. */
export function useIsUsed(): boolean {
  return useSyncExternalStore(subscribe, () => isUsed);
}

/** To be called before the views are loaded, or they would not learn what was done until then. */
export function noticeUse(): void {
  for (const sign of signs) addEventListener(sign, notice, { passive: true });
}

let isUsed = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function notice(): void {
  isUsed = true;
  for (const sign of signs) removeEventListener(sign, notice);
  for (const listener of listeners) listener();
}

const signs = ["pointermove", "pointerdown", "wheel", "keydown", "scroll"] as const;
