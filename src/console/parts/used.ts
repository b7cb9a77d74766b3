import { Shared, useShared } from "./shared.ts";

const isUsed = new Shared(false);
const signs = ["pointermove", "pointerdown", "wheel", "keydown", "scroll"] as const;

/** Returns true once the user has moved, pressed, touched or scrolled anything. */
export function useIsUsed(): boolean {
  return useShared(isUsed);
}

/** Call it before the views are loaded: they would miss what the user did until then. */
export function noticeUse(): void {
  const notice = () => {
    for (const sign of signs) removeEventListener(sign, notice);
    isUsed.set(true);
  };
  for (const sign of signs) addEventListener(sign, notice, { passive: true });
}
