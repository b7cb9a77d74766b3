import { type ComponentType, createElement } from "react";

const parts: (() => Promise<void>)[] = [];

/** A part of the page could not be loaded. Chromium then refuses to import its file until the page is reloaded. */
export class LoadError extends Error {}

/**
 * A component in a file of its own, which is loaded when it is first drawn, or before by `preloadComponents`. Drawing it suspends until
 * it is loaded, and throws LoadError if that fails.
 */
export function lazyComponent<Props extends object = object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let component: ComponentType<Props> | undefined;
  let failure: LoadError | undefined;
  const take = async () => {
    component = await load();
  };
  // A failure is no news until the part is drawn, which tries again.
  parts.push(() => take().catch(() => {}));
  return function Lazy(props) {
    if (component) return createElement(component, props);
    const thrown = failure;
    // Drawing it once more tries again.
    failure = undefined;
    throw (
      thrown ??
      take().catch((cause) => {
        failure = new LoadError("A part of the page could not be loaded.", { cause });
      })
    );
  };
}

/** Loads all parts, one after the other, so that the page stays responsive. */
export async function preloadComponents(): Promise<void> {
  for (const take of parts) await take();
}
