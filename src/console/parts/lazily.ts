import { type ComponentType, lazy } from "react";

/**
 * A view, or a part of one, that is loaded by itself: when nothing else is to be done, so that it is there when somebody wants it, also without
 * a connection.
 */
export function lazily<Props = object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loadOnce = async () => ({ default: await load() });
  waiting.push(loadOnce);
  return lazy(loadOnce);
}

/** Loads whatever is waiting to be loaded. */
export function loadAhead(): void {
  // What cannot be loaded now is tried again when somebody wants it.
  for (const load of waiting) load().catch(() => {});
}

const waiting: (() => Promise<unknown>)[] = [];
