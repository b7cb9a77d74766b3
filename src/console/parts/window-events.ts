import { useEffect, useRef } from "react";

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
