import type { Int64 } from "../domain/int64.ts";
import { useCategoryNames } from "./queries.ts";
import { useApi } from "./session.tsx";

/** A category by its name, if it has one, and its number. */
export function CategoryName({ id }: { id: Int64 }) {
  const name = useCategoryNames(useApi()).get(String(id));
  if (name === undefined) return <span>{String(id)}</span>;
  return (
    <span>
      <bdi>{name}</bdi> <small>{String(id)}</small>
    </span>
  );
}
