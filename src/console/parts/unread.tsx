import { useContext } from "react";
import { AdvisorContext, Failure, Loading } from "./notices.tsx";

/** Why something could not be read. If the notice at the top of the page says it, the page also reads it again by itself. */
export function Unread({
  error,
  isStale = false,
  onRetry,
}: {
  error: unknown;
  /** True if what was read before is shown meanwhile. */
  isStale?: boolean;
  onRetry: () => void;
}) {
  const { isSaidAbove } = useContext(AdvisorContext);
  if (!isSaidAbove(error)) return <Failure error={error} onRetry={onRetry} />;
  return isStale ? null : <p className="hint">Not loaded yet.</p>;
}

/** The state of a query beside its data: that it is loading, or why it failed. */
export function Reading({ query, what, isQuiet = false }: { query: Query; what: string; isQuiet?: boolean }) {
  const { data, error, isPending, refetch } = query;
  const isRead = data !== undefined;
  return (
    <>
      {isPending && <Loading what={what} />}
      <Unread error={isQuiet && isRead ? undefined : error} isStale={isRead} onRetry={() => refetch()} />
    </>
  );
}

interface Query {
  readonly data: unknown;
  readonly error: unknown;
  readonly isPending: boolean;
  refetch(): unknown;
}
