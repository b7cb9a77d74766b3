import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { ApiError, unreachable } from "./api.ts";

/** A labelled field with its complaint. */
export function Field({
  label,
  complaint,
  hint,
  isLabelUnseen = false,
  children,
}: {
  label: string;
  complaint?: string | undefined;
  hint?: string;
  /** Where people see from its place what it is for. */
  isLabelUnseen?: boolean;
  children: (attributes: FieldAttributes) => ReactNode;
}) {
  const id = useId();
  const describedBy = [complaint && `${id}-complaint`, hint && `${id}-hint`].filter(Boolean).join(" ") || undefined;
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelUnseen ? "unseen" : undefined}>
        {label}
      </label>
      {children({ id, "aria-invalid": complaint !== undefined, "aria-describedby": describedBy })}
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <p className="complaint" id={`${id}-complaint`} aria-live="polite">
        {complaint}
      </p>
    </div>
  );
}

interface FieldAttributes {
  readonly id: string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string | undefined;
}

/**
 * Over everything else, until it is closed; Escape closes it, and what had the focus before gets it back. Without `onClose`,
 * only what is in it leads out of it.
 */
export function Dialog({ title, onClose, children }: { title: string; onClose?: () => void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    element?.querySelector<HTMLElement>("input, select, footer button")?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        // Left to itself, the browser would sooner or later close it without asking.
        event.preventDefault();
        event.stopPropagation();
        onClose?.();
      }}
      onCancel={(event) => event.preventDefault()}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {onClose && (
          <button type="button" className="quiet" onClick={onClose} aria-label="Close">
            ✕
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}

/** Asks once more before something that cannot be undone. */
export function Confirmation({
  title,
  question,
  action,
  refusal = "Keep it",
  isBusy = false,
  error,
  onConfirm,
  onClose,
}: {
  title: string;
  question: ReactNode;
  action: string;
  /** What the way back is called. */
  refusal?: string;
  isBusy?: boolean;
  error?: unknown;
  onConfirm: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{question}</p>
      <Failure error={error} />
      <footer>
        <button type="button" onClick={onClose}>
          {refusal}
        </button>
        <button type="button" className="danger" disabled={isBusy} onClick={onConfirm}>
          {action}
        </button>
      </footer>
    </Dialog>
  );
}

/** Asks before what was typed is thrown away. */
export function DiscardQuestion({ onDiscard, onClose }: { onDiscard: () => void; onClose: () => void }) {
  return (
    <Confirmation
      title="Discard your changes?"
      question="What you have typed was not saved."
      action="Discard"
      refusal="Go on"
      onConfirm={onDiscard}
      onClose={onClose}
    />
  );
}

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

/** A time as people here write it. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return <span className="none">never</span>;
  return (
    <time dateTime={at}>{new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}</time>
  );
}
