import { useEffect, useRef } from "react";
import { Shared, useShared } from "./shared.ts";

type Listeners = { readonly [Type in keyof WindowEventMap]?: (event: WindowEventMap[Type]) => void };

/** Listens to events of the window with the listeners of the latest rendering; their types stay those of the first. */
export function useWindowEvents(listeners: Listeners): void {
  const latest = useRef(listeners);
  latest.current = listeners;
  useEffect(() => {
    const types = Object.keys(latest.current) as (keyof Listeners)[];
    const listen = (event: Event) =>
      (latest.current[event.type as keyof Listeners] as EventListener | undefined)?.(event);
    for (const type of types) addEventListener(type, listen);
    return () => {
      for (const type of types) removeEventListener(type, listen);
    };
  }, []);
}

export function useUnloadWarning(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isAsked]);
}

const isUsed = new Shared(false);
const signs = ["pointermove", "pointerdown", "wheel", "keydown", "scroll"] as const;

/** Returns true once the user has moved, pressed, touched or scrolled anything. */
export function useHasInteracted(): boolean {
  return useShared(isUsed);
}

/** Call it before the views are loaded: they would miss what the user did until then. */
export function watchForInteraction(): void {
  const notice = () => {
    for (const sign of signs) removeEventListener(sign, notice);
    isUsed.set(true);
  };
  for (const sign of signs) addEventListener(sign, notice, { passive: true });
}
