import type { ReactNode } from "react";
import type { CurrentKey } from "../../client/index.ts";
import { includesScope, type Scope } from "../../domain/scope.ts";
import { useCurrentKey } from "../api/queries.ts";
import { Heading } from "../parts/heading.tsx";
import { Empty, Loading } from "../parts/notices.tsx";

/**
 * Whether the key that somebody has signed in with has a scope. As long as that is not known it is taken to, since the store
 * itself refuses what it has not.
 */
export function useMay(scope: Scope): boolean {
  const { data: key } = useCurrentKey();
  return key === undefined || includesScope(key.scope, scope);
}

/** What describes a button that the key may not be used for: the line that says why. */
export const whyNot = "why-not";

/** Says once why nothing can be changed, in a view that is for everybody; nothing if something can. */
export function LookOnly() {
  const { data: key } = useCurrentKey();
  if (!key || includesScope(key.scope, "write")) return null;
  return (
    <p className="look-only" id={whyNot}>
      Your key has the scope {key.scope}: you can view everything except keys and webhooks, but change nothing. To make
      changes, sign in with a key that has the scope write.
    </p>
  );
}

/** A view for admins. Others are told so, and whose key it is is known before anything is read with it. */
export function AdminsOnly({
  view,
  title,
  children,
}: {
  view: "keys" | "webhooks";
  title: string;
  children: (own: CurrentKey | undefined) => ReactNode;
}) {
  const { data: own, isPending } = useCurrentKey();
  const mayAdmin = useMay("admin");
  if (mayAdmin && !isPending) return children(own);
  return (
    <>
      <Heading title={title} />
      {isPending ? (
        <Loading what={view} />
      ) : (
        <Empty title={`Only admins can manage ${view}`} icon={view}>
          <p>
            Your key has the scope {own?.scope}. Sign in with one that has the scope admin, or ask the operator of the
            store.
          </p>
        </Empty>
      )}
    </>
  );
}
