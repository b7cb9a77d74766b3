import { type ComponentType, createElement } from "react";

const loaders: (() => Promise<void>)[] = [];

/** A chunk could not be loaded. Chromium then refuses to import its file until the page is reloaded. */
export class LoadError extends Error {}

/**
 * Returns a component that is loaded when it is first drawn, or earlier by `preloadComponents`. Drawing it suspends until it is
 * loaded, and throws a LoadError if that fails; drawing it again retries.
 */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let component: ComponentType<Props> | undefined;
  let failure: LoadError | undefined;
  const start = async () => {
    component = await load();
  };
  // If preloading fails, drawing retries.
  loaders.push(() => start().catch(() => {}));
  return function Lazy(props) {
    if (component) return createElement(component, props);
    const thrown = failure;
    failure = undefined;
    throw (
      thrown ??
      start().catch((cause) => {
        failure = new LoadError("A part of the page could not be loaded.", { cause });
      })
    );
  };
}

/** Loads all lazy components, one after the other, so that the page stays responsive. */
export async function preloadComponents(): Promise<void> {
  for (const start of loaders) await start();
}
