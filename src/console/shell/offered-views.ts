import { includesScope } from "../../domain/scope.ts";
import { useCurrentKey } from "../api/queries.ts";
import { type View, views } from "../views.ts";

/** The views that somebody's key is of use in. One that needs a scope is not among them before the key is known. */
export function useOfferedViews(): readonly View[] {
  const { data: key } = useCurrentKey();
  return views.filter((view) => !("scope" in view) || (key !== undefined && includesScope(key.scope, view.scope)));
}
