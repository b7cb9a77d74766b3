import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Button } from "./controls.tsx";
import { isComposing } from "./shortcut.ts";
import { Failure } from "./view.tsx";

interface DialogProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly kind?: "middle" | "middle large" | "side";
  readonly onClose?: () => void;
  readonly children: ReactNode;
}

/** A modal dialog. Closing it gives the focus back. Without `onClose`, only its content leads out of it. */
export function Dialog({ title, aside, kind = "middle", onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    const first = "input:not([hidden]), select, .dropzone button, footer button";
    const expected = element?.querySelector<HTMLElement>("[data-expected]");
    // An empty dialog gets the focus itself: an early Enter must not close it.
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
        // The browser would close it without asking.
        event.preventDefault();
        event.stopPropagation();
        onClose?.();
      }}
      onCancel={(event) => {
        // By a gesture of a telephone, or while nothing has the focus.
        event.preventDefault();
        if (event.target === event.currentTarget) onClose?.();
      }}
    >
      <header>
        <h2 id={id} dir="auto">
          {title}
        </h2>
        {aside && <span className="aside">{aside}</span>}
        {onClose && <Button className="bare" onClick={onClose} aria-label="Close" icon="close" />}
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmationProps {
  readonly title: string;
  readonly question: ReactNode;
  readonly action: string;
  readonly cancelText?: string;
  /** True if nearly all users confirm; then that button has the focus. */
  readonly isExpected?: boolean;
  readonly confirmed: ConfirmedAction;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Asks before an action is run. If the action fails, the reason is shown until the question is closed. */
export function Confirmation({
  title,
  question,
  action,
  cancelText = "Keep it",
  isExpected = false,
  confirmed,
  onClose,
  children,
}: ConfirmationProps) {
  const close = () => {
    onClose();
    confirmed.reset?.();
  };
  return (
    <Dialog title={title} onClose={close}>
      <p>{question}</p>
      {children}
      <Failure error={confirmed.error} />
      <footer>
        <Button onClick={close}>{cancelText}</Button>
        <Button
          className={isExpected ? "primary" : "danger"}
          data-expected={isExpected || undefined}
          disabled={confirmed.isPending}
          onClick={() => confirmed.run()}
          onKeyDown={(event) => {
            // The Enter that opened the question may still be held.
            if (event.repeat) event.preventDefault();
          }}
        >
          {action}
        </Button>
      </footer>
    </Dialog>
  );
}

/** What `useAction` returns for an action without an argument. */
interface ConfirmedAction {
  readonly isPending?: boolean;
  readonly error?: unknown;
  run(): void;
  reset?(): void;
}
