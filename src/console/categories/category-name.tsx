import type { Int64 } from "../../../packages/client/src/index.ts";
import { useCategories } from "../api/queries.ts";
import { useNameOf } from "./use-known-categories.ts";

/** The name and number of a category. A name that the page does not have is requested if `isAsked`. */
export function CategoryName({ id, name, isAsked }: { id: Int64; name: string | undefined; isAsked: boolean }) {
  return name === undefined && isAsked ? <AskedName id={id} /> : <Named id={id} name={name} />;
}

/** The same, for callers that do not know the names. */
export function KnownCategoryName({ id }: { id: Int64 }) {
  const { data } = useCategories();
  return <CategoryName id={id} name={data?.byId.get(String(id))} isAsked={data?.isWhole === false} />;
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
