import { useEffect, useRef } from "react";
import { Shared, useShared } from "./shared.ts";

type Listeners = { readonly [Type in keyof WindowEventMap]?: (event: WindowEventMap[Type]) => void };

/** Adds listeners to the window. The listeners of the latest rendering are called; the event types are those of the first. */
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
  useEffect(() => {
    if (!isOn) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isOn]);
}

const hasInteracted = new Shared(false);

/** Returns true once the user has moved, pressed, touched or scrolled anything. */
export function useHasInteracted(): boolean {
  return useShared(hasInteracted);
}

/** Starts watching for interaction. Call it before the views are loaded, so that earlier interactions count, too. */
export function watchForInteraction(): void {
  const removal = new AbortController();
  const record = () => {
    removal.abort();
    hasInteracted.set(true);
  };
  for (const type of ["pointermove", "pointerdown", "wheel", "keydown", "scroll"]) {
    addEventListener(type, record, { passive: true, signal: removal.signal });
  }
}
