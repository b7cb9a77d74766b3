import { useSyncExternalStore } from "react";

/** Whether somebody has moved, pressed, touched or scrolled anything since the page was opened. */
export function useIsUsed(): boolean {
  return useSyncExternalStore(subscribe, () => isUsed);
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
for (const sign of signs) addEventListener(sign, notice, { passive: true });
