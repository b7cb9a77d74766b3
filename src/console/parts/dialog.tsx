import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Icon } from "./icons.tsx";
import { Failure } from "./notices.tsx";
import { isComposing } from "./shortcut.ts";

/**
 * Over everything else, until it is closed; Escape closes it, and what had the focus before gets it back. Without `onClose`,
 * only what is in it leads out of it.
 */
export function Dialog({
  title,
  aside,
  kind = "middle",
  onClose,
  children,
}: {
  title: string;
  /** Said beside the title, with less weight. */
  aside?: ReactNode;
  /** Whether it is in the middle, as a question is, there but with more room, or at the side, as something that is worked on. */
  kind?: "middle" | "middle large" | "side";
  onClose?: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    const first = "input:not([hidden]), select, .dropzone button, footer button";
    const expected = element?.querySelector<HTMLElement>("[data-expected]");
    // While it is still empty it has the focus itself: an Enter that comes early is not meant to close it.
    (expected ?? element?.querySelector<HTMLElement>(first) ?? element)?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={kind}
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || isComposing(event)) return;
        // Left to itself, the browser would sooner or later close it without asking.
        event.preventDefault();
        event.stopPropagation();
        onClose?.();
      }}
      onCancel={(event) => {
        // Asked otherwise than by that key: on a telephone, or while nothing has the focus.
        event.preventDefault();
        if (event.target === event.currentTarget) onClose?.();
      }}
    >
      <header>
        <h2 id={id} dir="auto">
          {title}
        </h2>
        {aside && <span className="aside">{aside}</span>}
        {onClose && (
          <button type="button" className="bare" onClick={onClose} aria-label="Close">
            <Icon name="close" />
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
  isExpected = false,
  isBusy = false,
  error,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  question: ReactNode;
  action: string;
  /** What the way back is called. */
  refusal?: string;
  /** Whether it is what nearly everybody wants who is asked; then it has the focus, and not the way back. */
  isExpected?: boolean;
  isBusy?: boolean;
  error?: unknown;
  onConfirm: () => void;
  onClose: () => void;
  /** What else there is to be decided. */
  children?: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{question}</p>
      {children}
      <Failure error={error} />
      <footer>
        <button type="button" onClick={onClose}>
          {refusal}
        </button>
        <button
          type="button"
          className={isExpected ? "primary" : "danger"}
          data-expected={isExpected || undefined}
          disabled={isBusy}
          onClick={onConfirm}
          onKeyDown={(event) => {
            // The Enter that has led here may still be held.
            if (event.repeat) event.preventDefault();
          }}
        >
          {action}
        </button>
      </footer>
    </Dialog>
  );
}

/** Asks before an action is run. If it fails, the reason is shown until the question is closed. */
export function ActionConfirmation({
  confirmed,
  onClose,
  ...words
}: {
  title: string;
  question: ReactNode;
  action: string;
  refusal?: string;
  isExpected?: boolean;
  confirmed: ConfirmedAction;
  onClose: () => void;
}) {
  return (
    <Confirmation
      {...words}
      isBusy={confirmed.isPending}
      error={confirmed.error}
      onConfirm={() => confirmed.run()}
      onClose={() => {
        onClose();
        confirmed.reset();
      }}
    />
  );
}

/** What `useAction` returns for an action without an argument. */
interface ConfirmedAction {
  readonly isPending: boolean;
  readonly error: unknown;
  run(): void;
  reset(): void;
}

/** Asks before what was typed is thrown away. */
export function DiscardQuestion({ onDiscard, onClose }: { onDiscard: () => void; onClose: () => void }) {
  return (
    <Confirmation
      title="Discard your changes?"
      question="What you have typed has not been saved."
      action="Discard"
      refusal="Go on"
      onConfirm={onDiscard}
      onClose={onClose}
    />
  );
}
