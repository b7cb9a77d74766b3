import type { ComponentType } from "react";
import { includesScope, type Scope } from "../../domain/scope.ts";
import { useCurrentKey, useHasScope } from "../api/queries.ts";
import { Empty, Heading, Loading } from "../parts/view.tsx";
import { type View, views } from "../views.ts";

/** The rights that each scope gives to a key. */
export const rightsByScope: Readonly<Record<Scope, string>> = {
  read: "view everything except keys and webhooks",
  write: "view and change animals, orders and categories",
  admin: "do everything",
};

/** The id of the hint that tells screen readers why buttons are disabled. */
export const readOnlyHintId = "why-not";

/** Returns the views that the key may use. While the key is loading, leaves out the views that need a scope. */
export function useOfferedViews(): readonly View[] {
  const { data: key } = useCurrentKey();
  return views.filter((view) => !("scope" in view) || (key !== undefined && includesScope(key.scope, view.scope)));
}

export function ReadOnlyHint() {
  const { data: key } = useCurrentKey();
  if (!key || includesScope(key.scope, "write")) return null;
  return (
    <p className="read-only-hint" id={readOnlyHintId}>
      Your key has the scope {key.scope}: you can view everything except keys and webhooks, but change nothing. To make
      changes, sign in with a key that has the scope write.
    </p>
  );
}

export function AdminsOnly({ view, content: Content }: { view: View; content: ComponentType }) {
  const { data: ownKey, isPending } = useCurrentKey();
  const canAdmin = useHasScope("admin");
  if (canAdmin && !isPending) return <Content />;
  const what = view.title.toLowerCase();
  return (
    <>
      <Heading title={view.title} />
      {isPending ? (
        <Loading what={what} />
      ) : (
        <Empty title={`Only admins can manage ${what}`} icon={view.icon}>
          <p>
            Your key has the scope {ownKey?.scope}. Sign in with one that has the scope admin, or ask the operator of
            the store.
          </p>
        </Empty>
      )}
    </>
  );
}
