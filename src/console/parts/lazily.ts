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

/** Loads whatever is waiting to be loaded, one after the other, so that the page answers meanwhile. */
export async function loadAhead(): Promise<void> {
  // What cannot be loaded now is tried again when somebody wants it.
  for (const load of waiting) await load().catch(() => {});
}

const waiting: (() => Promise<unknown>)[] = [];
