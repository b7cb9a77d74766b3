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

/** A modal dialog. Without `onClose`, only the content can close it. */
export function Dialog({ title, aside, kind = "middle", onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    const controlSelector = "input:not([hidden]), select, .dropzone button, footer button";
    const expectedButton = element?.querySelector<HTMLElement>("[data-expected]");
    // If the dialog has no controls yet, focuses the dialog itself, so that an early Enter does not press the close button.
    (expectedButton ?? element?.querySelector<HTMLElement>(controlSelector) ?? element)?.focus();
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
        // When Escape is pressed repeatedly, the browser would close the dialog without a cancel event.
        event.preventDefault();
        event.stopPropagation();
        onClose?.();
      }}
      onCancel={(event) => {
        // The back gesture of a phone causes this event, as does Escape while no element has the focus.
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
  readonly actionTitle: string;
  readonly cancelText?: string;
  /** True if nearly all users confirm: the confirm button then has the focus. */
  readonly isExpected?: boolean;
  readonly confirmedAction: { readonly isPending?: boolean; readonly error?: unknown; run(): void; reset?(): void };
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

export function Confirmation({
  title,
  question,
  actionTitle,
  cancelText = "Keep it",
  isExpected = false,
  confirmedAction,
  onClose,
  children,
}: ConfirmationProps) {
  const close = () => {
    onClose();
    confirmedAction.reset?.();
  };
  return (
    <Dialog title={title} onClose={close}>
      <p>{question}</p>
      {children}
      <Failure error={confirmedAction.error} />
      <footer>
        <Button onClick={close}>{cancelText}</Button>
        <Button
          className={isExpected ? "primary" : "danger"}
          data-expected={isExpected || undefined}
          disabled={confirmedAction.isPending}
          onClick={() => confirmedAction.run()}
          onKeyDown={(event) => {
            // Ignores repetitions of the key: the user may still hold down the Enter key that opened the dialog.
            if (event.repeat) event.preventDefault();
          }}
        >
          {actionTitle}
        </Button>
      </footer>
    </Dialog>
  );
}
