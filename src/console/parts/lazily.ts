import { type ComponentType, createElement } from "react";

/**
 * A view, or a part of one, that is loaded by itself: when nothing else is to be done, so that it is there when somebody wants it, also without
 * a connection. Until it is there, what is around it waits; if it cannot be loaded, drawing it throws NotLoaded.
 */
export function lazily<Props extends object = object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let component: ComponentType<Props> | undefined;
  let failure: NotLoaded | undefined;
  let loading: Promise<void> | undefined;
  const take = async () => {
    try {
      await fetchFiles(String(load));
      component = await load();
    } catch (cause) {
      // Whoever tries again asks for all of it again: what was there before may be so no more.
      fetched.clear();
      failure = new NotLoaded("A part of the page could not be loaded.", { cause });
    }
  };
  const begin = () => {
    loading ??= take();
    return loading;
  };
  const forgetFailure = () => {
    if (!failure) return;
    failure = undefined;
    loading = undefined;
  };
  parts.push({ begin, forgetFailure });
  return function Lazy(props) {
    if (component) return createElement(component, props);
    throw failure ?? begin();
  };
}

/** The file of a part could not be loaded, for now. */
export class NotLoaded extends Error {}

/** Loads whatever is waiting to be loaded, one after the other, so that the page answers meanwhile. */
export async function loadAhead(): Promise<void> {
  for (const { begin, forgetFailure } of parts) {
    await begin();
    // What cannot be loaded now is tried again when somebody wants it.
    forgetFailure();
  }
}

/** Has what could not be loaded tried again when it is drawn the next time. */
export function forgetFailures(): void {
  for (const { forgetFailure } of parts) forgetFailure();
}

const parts: { begin(): Promise<void>; forgetFailure(): void }[] = [];

/**
 * Has the files of a part in the browser's cache before they are imported: that one could not be imported is remembered by many
 * browsers for as long as the page is there, and they do not ask for it again. Which files these are is said only where they are
 * imported.
 */
async function fetchFiles(load: string): Promise<void> {
  const [, part = ""] = /\bimport\("([^"]+)"\)/.exec(load) ?? [];
  const shared = await fetchOnce(part);
  await Promise.all(shared.filter((file) => !import.meta.url.endsWith(file)).map(fetchOnce));
}

/** Returns what the file imports. Several parts share one. */
function fetchOnce(file: string): Promise<readonly string[]> {
  const known = fetched.get(file) ?? fetchFile(file);
  fetched.set(file, known);
  return known;
}

const fetched = new Map<string, Promise<readonly string[]>>();

async function fetchFile(file: string): Promise<readonly string[]> {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file} is answered with ${response.status}.`);
  return [...(await response.text()).matchAll(/\bfrom"([^"]+)"/g)].map(([, imported = ""]) => imported);
}
