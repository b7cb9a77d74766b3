import { useEffect, useRef } from "react";
import { Shared, useShared } from "./shared.ts";

type Listeners = { readonly [Type in keyof WindowEventMap]?: (event: WindowEventMap[Type]) => void };

/** Calls the listeners of the latest rendering. The event types must not change. */
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

/** Lets the browser ask the user before the page is left. */
export function useUnloadWarning(isOn: boolean): void {
  useWindowEvents({ beforeunload: (event) => isOn && event.preventDefault() });
}

const hasInteracted = new Shared(false);
for (const type of ["pointermove", "pointerdown", "wheel", "keydown", "scroll"]) {
  addEventListener(type, () => hasInteracted.set(true), { passive: true, once: true });
}

/** Returns true once the user has moved, pressed, touched or scrolled anything. */
export function useHasInteracted(): boolean {
  return useShared(hasInteracted);
}
