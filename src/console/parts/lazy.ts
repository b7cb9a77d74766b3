import { type ComponentType, createElement, use } from "react";

const loaders: (() => Promise<void>)[] = [];

/** Returns a component that is loaded by its first rendering, or earlier by `preloadComponents`. Rendering throws if loading failed. */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let component: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const start = () => {
    loading ??= load().then((loaded) => {
      component = loaded;
    });
    return loading;
  };
  loaders.push(start);
  return function Lazy(props) {
    // Renders a preloaded component without `use`, which would briefly show the fallback of `Suspense`.
    if (!component) use(start());
    return component && createElement(component, props);
  };
}

/** Loads all lazy components, one after the other, so that the page stays responsive. */
export async function preloadComponents(): Promise<void> {
  for (const start of loaders) await start().catch(() => {}); // Rendering the component reports the failure.
}
