import type { Int64 } from "../../client/index.ts";

/** A category by its name, if it has one, and its number. */
export function CategoryName({ id, name }: { id: Int64; name: string | undefined }) {
  if (name === undefined) return <span>{String(id)}</span>;
  return (
    <span>
      <bdi>{name}</bdi> <small>{String(id)}</small>
    </span>
  );
}
