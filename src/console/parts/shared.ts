import { useCallback, useRef, useSyncExternalStore } from "react";

/** A value outside of the tree of components. Those that use it are drawn again when it changes. */
export class Shared<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(initial: Value) {
    this.#value = initial;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}

export function useShared<Value>(shared: Shared<Value>): Value {
  return useSyncExternalStore(shared.subscribe, () => shared.value);
}

let signOuts = 0;
const resets: (() => void)[] = [];

/** A value that belongs to the signed-in user: a sign-out resets it. It survives a key that stops working. */
export function sharedUntilSignOut<Value>(initial: Value): Shared<Value> {
  const shared = new Shared(initial);
  resets.push(() => shared.set(initial));
  return shared;
}

/** Returns a function that updates the value, except after a sign-out: a late response must not show up for the next user. */
export function useUpdateUntilSignOut<Value>(shared: Shared<Value>): (update: (before: Value) => Value) => void {
  const { current: begun } = useRef(signOuts);
  return useCallback((update) => begun === signOuts && shared.set(update(shared.value)), [shared, begun]);
}

export function resetSharedOnSignOut(): void {
  signOuts++;
  for (const reset of resets) reset();
}
