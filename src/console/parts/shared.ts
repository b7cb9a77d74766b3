import { useCallback, useState, useSyncExternalStore } from "react";

/** State outside the component tree, which several components share. */
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

let signOutCount = 0;
const resetCallbacks: (() => void)[] = [];

/** Creates state that is reset when the user signs out, but kept when the user's key stops working. */
export function createSharedUntilSignOut<Value>(initial: Value): Shared<Value> {
  const shared = new Shared(initial);
  resetCallbacks.push(() => shared.set(initial));
  return shared;
}

/** Returns a function that updates the state, but does nothing after a sign-out: the next user must not see a late response. */
export function useUpdateUntilSignOut<Value>(shared: Shared<Value>): (update: (before: Value) => Value) => void {
  const [initialCount] = useState(signOutCount);
  return useCallback(
    (update) => initialCount === signOutCount && shared.set(update(shared.value)),
    [shared, initialCount],
  );
}

export function resetSharedOnSignOut(): void {
  signOutCount++;
  for (const reset of resetCallbacks) reset();
}
