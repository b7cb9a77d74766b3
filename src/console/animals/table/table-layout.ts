import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { Pet } from "../../../../packages/client/src/index.ts";
import { useCategoryNames } from "../../api/queries.ts";
import { narrow, useAppearance, useMedia } from "../../parts/appearance.ts";

/** Returns the height of a row. On a telephone, rows have a second line, with the category. */
export function useRowHeight(): number {
  const [density] = useAppearance("density");
  const isNarrow = useMedia(narrow);
  if (isNarrow) return density === "compact" ? 48 : 60;
  return density === "compact" ? 34 : 44;
}

/** Returns the distance of an element from the top of the page. */
export function useDistanceFromTop(element: RefObject<HTMLElement | null>, isThere: boolean): number {
  const [distance, setDistance] = useState(0);
  useLayoutEffect(() => {
    if (!isThere) return;
    const measure = () => {
      const box = element.current?.getBoundingClientRect();
      if (box) setDistance(Math.round(box.top + scrollY));
    };
    measure();
    // Elements that appear above change the height of the page. Measuring on scroll would be slow.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element, isThere]);
  return distance;
}

/** Returns the widths of the columns: those of their longest text so far, within reason, so that columns never shrink. */
export function useWidths(pets: readonly (Pet | undefined)[]): Record<string, number> {
  const categories = useCategoryNames();
  const widths = useRef({ "--number-width": 4, "--name-width": 14, "--category-width": 8 });
  const widen = (column: keyof typeof widths.current, length: number) => {
    widths.current[column] = Math.min(maxWidth, Math.max(widths.current[column], length));
  };
  for (const pet of pets) {
    if (!pet) continue;
    const category = String(pet.categoryId);
    widen("--number-width", String(pet.id).length);
    widen("--name-width", [...pet.name].length);
    widen("--category-width", category.length + [...(categories.get(category) ?? "")].length);
  }
  return widths.current;
}

const maxWidth = 36;
