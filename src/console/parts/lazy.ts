import { type ComponentType, createElement, use } from "react";

const loaders: (() => Promise<void>)[] = [];

/** Returns a component that is loaded when it is first drawn, or earlier by `preloadComponents`. Drawing it throws if loading failed. */
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
    // A preloaded component is drawn without `use`, which would show the fallback for a moment.
    if (!component) use(start());
    return component && createElement(component, props);
  };
}

/** Loads all lazy components, one after the other, so that the page stays responsive. */
export async function preloadComponents(): Promise<void> {
  for (const start of loaders) await start().catch(() => {}); // Drawing the component reports the failure.
}
