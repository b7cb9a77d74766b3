import { useSyncExternalStore } from "react";
import { Shared, useShared } from "./shared.ts";

/** How the page looks; the device keeps the choice. The first option of each is the default. */
export const appearances = {
  density: ["comfortable", "compact"],
  theme: ["system", "light", "dark"],
} as const;

type Appearances = { readonly [Name in keyof typeof appearances]: (typeof appearances)[Name][number] };

const chosen = new Shared<Appearances>({ density: "comfortable", theme: "system" });

export function useAppearance<Name extends keyof Appearances>(
  name: Name,
): [Appearances[Name], (value: Appearances[Name]) => void] {
  const choose = (value: Appearances[Name]) => {
    localStorage.setItem(`animal-store-${name}`, value);
    applyAppearance();
  };
  return [useShared(chosen)[name], choose];
}

/** Applies the kept choices, now and whenever another tab changes them. */
export function startAppearance(): void {
  applyAppearance();
  addEventListener("storage", applyAppearance);
}

function applyAppearance(): void {
  const kept = Object.entries(appearances).map(([name, options]: [string, readonly string[]]) => {
    const value = localStorage.getItem(`animal-store-${name}`) ?? "";
    return [name, options.includes(value) ? value : options[0]];
  });
  const looks = Object.fromEntries(kept) as Appearances;
  Object.assign(document.documentElement.dataset, looks);
  chosen.set(looks);
}

/** Returns true while the window matches a media query. */
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

/** Where the layout of a telephone begins, as in the style sheets. */
export const narrowScreen = "(max-width: 40rem)";
