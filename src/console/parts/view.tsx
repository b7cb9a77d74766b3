import { createContext, type ReactNode, useContext } from "react";
import { Button } from "./controls.tsx";
import { describeError, isUnreachable } from "./errors.ts";
import { Icon, type IconName } from "./icons.tsx";

/** True while the store cannot be reached. A banner at the top of the page then reports the outage. */
export const StoreUnreachableContext = createContext(false);

export function Failure({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const isStoreUnreachable = useContext(StoreUnreachableContext);
  if (!error) return null;
  return (
    <div className="notice failure" role="alert">
      <Icon name="warning" />
      <p>{describeError(error, isStoreUnreachable)}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

export function RestoredHint() {
  return (
    <p className="restored" role="status">
      <Icon name="undo" size={16} />
      What you typed was restored.
    </p>
  );
}

export function Empty({ title, icon, children }: { title: string; icon: IconName; children?: ReactNode }) {
  return (
    <div className="empty">
      <span className="sign">
        <Icon name={icon} size={28} />
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <div className="loading" role="status">
      <span className="unseen">Loading {what}</span>
      {[70, 45, 60, 35, 55].map((width) => (
        <span key={width} className="bone" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

/** If the outage banner already covers the error, shows only a hint, or nothing if stale data is still displayed. */
export function QueryFailure({ error, isStale, onRetry }: { error: unknown; isStale?: boolean; onRetry: () => void }) {
  const isShownInBanner = useContext(StoreUnreachableContext) && isUnreachable(error);
  if (!isShownInBanner) return <Failure error={error} onRetry={onRetry} />;
  return isStale ? null : <p className="hint">Not loaded yet.</p>;
}

interface QueryStatusProps {
  readonly query: { readonly data: unknown; readonly error: unknown; readonly isPending: boolean; refetch(): unknown };
  readonly what: string;
  /** Hides errors while older data is shown. */
  readonly isQuiet?: boolean;
}

export function QueryStatus({ query: { data, error, isPending, refetch }, what, isQuiet = false }: QueryStatusProps) {
  const isRead = data !== undefined;
  return (
    <>
      {isPending && <Loading what={what} />}
      <QueryFailure error={isQuiet && isRead ? undefined : error} isStale={isRead} onRetry={() => refetch()} />
    </>
  );
}

export function Heading({ title, aside, children }: { title: string; aside?: ReactNode; children?: ReactNode }) {
  return (
    <header className="heading">
      <h1 tabIndex={-1}>{title}</h1>
      {aside !== undefined && <p className="aside">{aside}</p>}
      {children && <div className="actions">{children}</div>}
    </header>
  );
}
