import type { ReactNode } from "react";
import type { CurrentKey } from "../../../packages/client/src/index.ts";
import { includesScope } from "../../domain/scope.ts";
import { useCurrentKey, useHasScope } from "../api/queries.ts";
import { Empty, Heading, Loading } from "../parts/view.tsx";
import { type View, views } from "../views.ts";

/** The id of the hint that tells screen readers why buttons are disabled. */
export const readOnlyHintId = "why-not";

/** Views that need a scope are missing until the key is known. */
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

interface AdminsOnlyProps {
  readonly view: "keys" | "webhooks";
  readonly title: string;
  readonly children: (ownKey: CurrentKey | undefined) => ReactNode;
}

export function AdminsOnly({ view, title, children }: AdminsOnlyProps) {
  const { data: ownKey, isPending } = useCurrentKey();
  const canAdmin = useHasScope("admin");
  if (canAdmin && !isPending) return children(ownKey);
  return (
    <>
      <Heading title={title} />
      {isPending ? (
        <Loading what={view} />
      ) : (
        <Empty title={`Only admins can manage ${view}`} icon={view}>
          <p>
            Your key has the scope {ownKey?.scope}. Sign in with one that has the scope admin, or ask the operator of
            the store.
          </p>
        </Empty>
      )}
    </>
  );
}
