import { isUnreachable } from "../api/errors.ts";
import { useIsStoreLost } from "../api/queries.ts";
import { Failure } from "./notices.tsx";

/**
 * Why something could not be read. That the store cannot be reached is said once, at the top of the page, which also reads
 * everything again once it can.
 */
export function Unread({
  error,
  isStale = false,
  onRetry,
}: {
  error: unknown;
  /** Whether what was read before is shown meanwhile. */
  isStale?: boolean;
  onRetry: () => void;
}) {
  const isSaidAbove = useIsStoreLost() && isUnreachable(error);
  if (!isSaidAbove) return <Failure error={error} onRetry={onRetry} />;
  return isStale ? null : <p className="hint">Not loaded yet.</p>;
}
