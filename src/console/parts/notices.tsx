import { createContext, type ReactNode, useContext } from "react";
import { Button } from "./button.tsx";
import { Icon, type IconName } from "./icons.tsx";

/** Explains errors to users. Its provider knows whether the store can be reached. */
export interface Advisor {
  adviceFor(error: unknown): string;
  /** Returns true if the notice at the top of the page already says it. */
  isSaidAbove(error: unknown): boolean;
}

export const AdvisorContext = createContext<Advisor>({ adviceFor: String, isSaidAbove: () => false });

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
export function Restored() {
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
