import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { Pet } from "../../../client/index.ts";
import { narrow, useAppearance, useMedia } from "../../parts/appearance.ts";

/** On a telephone the category is below the name, which needs a second line. */
export function useRowHeight(): number {
  const [density] = useAppearance("density");
  const isNarrow = useMedia(narrow);
  if (isNarrow) return density === "compact" ? 48 : 60;
  return density === "compact" ? 34 : 44;
}

/** How far below the top of the page an element begins. */
export function useDistanceFromTop(element: RefObject<HTMLElement | null>, isThere: boolean): number {
  const [distance, setDistance] = useState(0);
  useLayoutEffect(() => {
    if (!isThere) return;
    const measure = () => {
      const box = element.current?.getBoundingClientRect();
      if (box) setDistance(Math.round(box.top + scrollY));
    };
    measure();
    // Whatever comes above it changes how high the page is; to measure while it is scrolled would be slow.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element, isThere]);
  return distance;
}

/** Columns are as wide as what was in them so far, within reason; they never become narrower under somebody's eyes. */
export function useWidths(
  pets: readonly (Pet | undefined)[],
  categories: ReadonlyMap<string, string>,
): Record<string, number> {
  const widest = useRef({ number: 4, name: 14, category: 8 });
  const take = (column: "number" | "name" | "category", length: number) => {
    widest.current[column] = Math.min(mostLetters, Math.max(widest.current[column], length));
  };
  for (const pet of pets) {
    if (!pet) continue;
    const category = String(pet.categoryId);
    take("number", String(pet.id).length);
    take("name", [...pet.name].length);
    take("category", category.length + [...(categories.get(category) ?? "")].length);
  }
  const { number, name, category } = widest.current;
  return { "--number-width": number, "--name-width": name, "--category-width": category };
}

const mostLetters = 36;
