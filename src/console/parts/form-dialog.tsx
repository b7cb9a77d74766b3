import type { ReactNode } from "react";
import { Button } from "./controls.tsx";
import { Dialog } from "./dialog.tsx";
import { type Form, useDiscardQuestion } from "./form.tsx";
import { Failure, RestoredHint } from "./view.tsx";

interface FormDialogProps<Draft extends object> {
  readonly title: string;
  readonly action: string;
  readonly kind?: "middle" | "side";
  readonly form: Form<Draft>;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function FormDialog<Draft extends object>(props: FormDialogProps<Draft>) {
  const { title, action, kind = "middle", form, onSubmit, onClose, children } = props;
  const { leave, question } = useDiscardQuestion(form, onClose);
  return (
    <Dialog title={title} kind={kind} onClose={leave}>
      <form onSubmit={form.submit(onSubmit)} noValidate>
        {form.isRestored && <RestoredHint />}
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
