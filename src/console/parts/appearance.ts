import { useSyncExternalStore } from "react";
import { Shared, useShared } from "./shared.ts";

/** The options of each setting. The first option is the default. The device stores the chosen options. */
export const appearanceOptions = {
  density: ["comfortable", "compact"],
  theme: ["system", "light", "dark"],
} as const;

type Appearance = { readonly [Name in keyof typeof appearanceOptions]: (typeof appearanceOptions)[Name][number] };

const chosenAppearance = new Shared<Appearance>({ density: "comfortable", theme: "system" });
applyAppearance();
// Another tab may change the settings.
addEventListener("storage", applyAppearance);

export function useAppearance<Name extends keyof Appearance>(
  name: Name,
): [Appearance[Name], (value: Appearance[Name]) => void] {
  const choose = (value: Appearance[Name]) => {
    localStorage.setItem(`animal-store-${name}`, value);
    applyAppearance();
  };
  return [useShared(chosenAppearance)[name], choose];
}

function applyAppearance(): void {
  const chosenOptions = Object.entries(appearanceOptions).map(([name, options]: [string, readonly string[]]) => {
    const value = localStorage.getItem(`animal-store-${name}`) ?? "";
    return [name, options.includes(value) ? value : options[0]];
  });
  const appearance = Object.fromEntries(chosenOptions) as Appearance;
  Object.assign(document.documentElement.dataset, appearance);
  chosenAppearance.set(appearance);
}

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

/** The media query of the phone layout, the same as in the style sheets. */
export const narrowScreenQuery = "(max-width: 40rem)";
