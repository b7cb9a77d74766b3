import type { Int64 } from "../../client/index.ts";
import { useNameOf } from "./use-known-categories.ts";

/** A category by its name, if it has one, and its number. It is asked for where whoever shows it does not know the name. */
export function CategoryName({ id, name }: { id: Int64; name?: string | undefined }) {
  return name === undefined ? <AskedName id={id} /> : <Named id={id} name={name} />;
}

function AskedName({ id }: { id: Int64 }) {
  return <Named id={id} name={useNameOf(String(id))} />;
}

function Named({ id, name }: { id: Int64; name: string | undefined }) {
  if (name === undefined) return <span>{String(id)}</span>;
  return (
    <span>
      <bdi>{name}</bdi> <small>{String(id)}</small>
    </span>
  );
}
