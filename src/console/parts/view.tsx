import { createContext, type ReactNode, useContext } from "react";
import { Button } from "./controls.tsx";
import { Icon, type IconName } from "./icons.tsx";

/** Explains errors to users. Its provider knows whether the store can be reached. */
export interface Advisor {
  adviceFor(error: unknown): string;
  /** Returns true if the notice at the top of the page already says it. */
  isShownInBanner(error: unknown): boolean;
}

export const AdvisorContext = createContext<Advisor>({ adviceFor: String, isShownInBanner: () => false });

export function Failure({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const { adviceFor } = useContext(AdvisorContext);
  if (!error) return null;
  return (
    <div className="notice failure" role="alert">
      <Icon name="warning" />
      <p>{adviceFor(error)}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** Says that a form begins with what was typed into it before. */
export function RestoredHint() {
  return (
    <p className="restored" role="status">
      <Icon name="undo" size={16} />
      What you typed is back.
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

interface QueryFailureProps {
  readonly error: unknown;
  /** True if what was read before is shown meanwhile. */
  readonly isStale?: boolean;
  readonly onRetry: () => void;
}

/** Why something could not be read. If the notice at the top of the page says it, the page also reads it again by itself. */
export function QueryFailure({ error, isStale = false, onRetry }: QueryFailureProps) {
  const { isShownInBanner } = useContext(AdvisorContext);
  if (!isShownInBanner(error)) return <Failure error={error} onRetry={onRetry} />;
  return isStale ? null : <p className="hint">Not loaded yet.</p>;
}

/** The state of a query beside its data: that it is loading, or why it failed. */
export function QueryStatus({ query, what, isQuiet = false }: { query: Query; what: string; isQuiet?: boolean }) {
  const { data, error, isPending, refetch } = query;
  const isRead = data !== undefined;
  return (
    <>
      {isPending && <Loading what={what} />}
      <QueryFailure error={isQuiet && isRead ? undefined : error} isStale={isRead} onRetry={() => refetch()} />
    </>
  );
}

interface Query {
  readonly data: unknown;
  readonly error: unknown;
  readonly isPending: boolean;
  refetch(): unknown;
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
