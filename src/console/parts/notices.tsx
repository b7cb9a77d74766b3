import type { ReactNode } from "react";
import { adviceFor } from "../api/errors.ts";
import { useAdvice } from "../api/queries.ts";
import { useSession } from "../session/session.tsx";
import { Icon, type IconName } from "./icons.tsx";

/** What went wrong, and what to do next. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  const { open } = useSession();
  if (!error) return null;
  return (
    <div className="notice failure" role="alert">
      <Icon name="warning" />
      <p>{open ? <Advice error={error} /> : adviceFor(error)}</p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function Advice({ error }: { error: unknown }) {
  return useAdvice(error);
}

/** Says that a form begins with what was typed into it before. */
export function Restored() {
  return (
    <p className="restored" role="status">
      <Icon name="undo" size={16} />
      What you typed is back.
    </p>
  );
}

/** For when there is nothing to show. */
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
