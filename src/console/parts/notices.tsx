import type { ReactNode } from "react";
import { ApiError, unreachable } from "../api/api.ts";

/** What went wrong, and what to do next. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: (() => void) | undefined }) {
  if (!error) return null;
  return (
    <div className="notice failure" role="alert">
      <p>{adviceFor(error)}</p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function adviceFor(error: unknown): string {
  if (!(error instanceof ApiError)) return "Something went wrong on this page. Reload it, and try again.";
  switch (error.code) {
    case unreachable:
      return `${error.message} Check that it is running and that you are connected; nothing you typed is lost.`;
    case "Forbidden":
      return `${error.message} Sign in with another key, or ask an admin for one.`;
    case "TooManyRequests":
      return `${error.message} Wait a moment, then try again.`;
    default:
      return error.message;
  }
}

/** For when there is nothing to show. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p className="loading" role="status">
      Loading {what}
    </p>
  );
}
