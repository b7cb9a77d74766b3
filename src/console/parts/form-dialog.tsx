import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { type Form, useDiscardQuestion } from "./form.tsx";
import { Failure, Restored } from "./notices.tsx";

/** A dialog with a form. Asks before what was typed is thrown away. */
export function FormDialog<Draft>({
  title,
  action,
  kind,
  form,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  /** The text of the button that submits the form. */
  action: string;
  kind?: "middle" | "side";
  form: Form<Draft>;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const { leave, question } = useDiscardQuestion(form, onClose);
  return (
    <Dialog title={title} kind={kind ?? "middle"} onClose={leave}>
      <form onSubmit={form.submit(onSubmit)} noValidate>
        {form.isRestored && <Restored />}
        {children}
        <Failure error={form.error} />
        <footer>
          <Button onClick={leave}>Cancel</Button>
          <button type="submit" className="primary" disabled={form.isPending}>
            {action}
          </button>
        </footer>
      </form>
      {question}
    </Dialog>
  );
}
