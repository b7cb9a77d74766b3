import { useEffect, useRef } from "react";
import { Shared, useShared } from "./shared.ts";

type Listeners = { readonly [Type in keyof WindowEventMap]?: (event: WindowEventMap[Type]) => void };

/** Adds listeners to the window, and calls those of the latest rendering. The event types must be the same in every rendering. */
export function useWindowEvents(listeners: Listeners): void {
  const latest = useRef(listeners);
  latest.current = listeners;
  useEffect(() => {
    const removal = new AbortController();
    for (const type of Object.keys(latest.current) as (keyof Listeners)[]) {
      const listen = (event: Event) => (latest.current[type] as EventListener | undefined)?.(event);
      addEventListener(type, listen, { signal: removal.signal });
    }
    return () => removal.abort();
  }, []);
}

/** Makes the browser ask the user for confirmation before leaving the page. */
export function useUnloadWarning(isOn: boolean): void {
  useWindowEvents({ beforeunload: (event) => isOn && event.preventDefault() });
}

const hasInteracted = new Shared(false);
for (const type of ["pointermove", "pointerdown", "wheel", "keydown", "scroll"]) {
  addEventListener(type, () => hasInteracted.set(true), { passive: true, once: true });
}

/** Returns true once the user has moved the pointer, pressed a key or a button, or scrolled. */
export function useHasInteracted(): boolean {
  return useShared(hasInteracted);
}
