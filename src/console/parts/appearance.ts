import { useSyncExternalStore } from "react";

/** How the page looks to a person, which is kept on the device. The first of each is what it looks like to begin with. */
export const appearances = {
  density: ["comfortable", "compact"],
  theme: ["system", "light", "dark"],
} as const;

export function useAppearance<Name extends keyof typeof appearances>(
  name: Name,
): [(typeof appearances)[Name][number], (value: (typeof appearances)[Name][number]) => void] {
  const value = useSyncExternalStore(subscribe, () => kept(name));
  return [value, (chosen) => keep(name, chosen)];
}

/** Whether the window is now as a media query says. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    () => matchMedia(query).matches,
  );
}

/** Where a telephone's layout begins, as in the style sheets. */
export const narrow = "(max-width: 40rem)";

/** Puts what is kept on the page, which the style sheets follow; also when another tab has changed it. */
export function applyAppearance(): void {
  for (const name of Object.keys(appearances) as (keyof typeof appearances)[]) {
    document.documentElement.dataset[name] = kept(name);
  }
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  const hear = () => {
    applyAppearance();
    listener();
  };
  listeners.add(listener);
  addEventListener("storage", hear);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", hear);
  };
}

function kept<Name extends keyof typeof appearances>(name: Name): (typeof appearances)[Name][number] {
  const options: readonly string[] = appearances[name];
  const value = localStorage.getItem(`animal-store-${name}`) ?? "";
  return (options.includes(value) ? value : options[0]) as (typeof appearances)[Name][number];
}

function keep(name: keyof typeof appearances, value: string): void {
  localStorage.setItem(`animal-store-${name}`, value);
  applyAppearance();
  for (const listener of listeners) listener();
}
