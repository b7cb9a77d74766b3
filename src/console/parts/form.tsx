import { type FormEvent, type ReactNode, useLayoutEffect, useState } from "react";
import { Button } from "./controls.tsx";
import { Confirmation, Dialog } from "./dialog.tsx";
import type { StoredDraft } from "./drafts.ts";
import { collectFieldErrors } from "./errors.ts";
import { focusFirstComplaint } from "./focus.ts";
import { Failure, RestoredHint } from "./view.tsx";

type Complaints<Draft> = Readonly<Partial<Record<keyof Draft, string | undefined>>>;

export interface InputOf<Value> {
  readonly value: Value;
  readonly complaint: string | undefined;
  readonly readOnly: boolean;
  onChange(value: Value): void;
}

interface FormOptions<Draft> {
  readonly initial: Draft;
  readonly storedDraft?: StoredDraft<Draft>;
  /** The action that sends the form, from `useAction`. */
  readonly sending?: { readonly isPending: boolean; readonly isError: boolean; readonly error: unknown; reset(): void };
  /** Error messages in the store's response, by field. By default, all messages that name a field. */
  readonly serverFieldErrors?: Complaints<Draft>;
  /** Fields that are checked only when the user submits the form, because any incomplete text in these fields is invalid. */
  readonly fieldsCheckedOnSubmit?: readonly (keyof Draft)[];
  /** By default, a draft is dirty if it differs from `initial`. */
  isDirty?(draft: Draft): boolean;
  findComplaints(draft: Draft): Complaints<Draft>;
}

export type Form<Draft extends object> = ReturnType<typeof useForm<Draft>>;

/** Manages the state of a form. A field shows its complaint only after the user has changed the field or submitted the form. */
export function useForm<Draft extends object>(options: FormOptions<Draft>) {
  const { storedDraft, sending, fieldsCheckedOnSubmit = [] } = options;
  const serverFieldErrors: Complaints<Draft> =
    options.serverFieldErrors ?? (collectFieldErrors(sending?.error) as Complaints<Draft>);
  const [initial] = useState(options.initial);
  const [draft, setDraft] = useState<Draft>(() => ({ ...initial, ...storedDraft?.restored }));
  const [touchedFields, setTouchedFields] = useState<readonly (keyof Draft)[]>(() =>
    listFieldNames(draft).filter((name) => draft[name] !== initial[name]),
  );
  const [isSubmitted, setSubmitted] = useState(false);
  const complaints = options.findComplaints(draft);
  const isValid = Object.values(complaints).every((complaint) => complaint === undefined);
  const isDirty = options.isDirty?.(draft) ?? JSON.stringify(draft) !== JSON.stringify(initial);
  const isPending = sending?.isPending ?? false;
  useLayoutEffect(() => storedDraft?.keep(isDirty ? draft : undefined));
  const set = (changes: Partial<Draft>) => {
    setDraft((now) => ({ ...now, ...changes }));
    setTouchedFields((before) => [...before, ...listFieldNames(changes)]);
    if (sending?.isError) sending.reset();
  };
  /** Returns true if the draft is valid. Otherwise shows the complaints and focuses the first invalid field. */
  const check = (form: HTMLFormElement): boolean => {
    setSubmitted(true);
    if (!isValid) focusFirstComplaint(form);
    return isValid;
  };
  return {
    draft,
    isDirty,
    isValid,
    isRestored: storedDraft?.restored !== undefined,
    error: Object.keys(serverFieldErrors).length > 0 ? undefined : sending?.error,
    isPending,
    set,
    check,
    /** Replaces the draft and hides the complaints, as if the user had not changed any field. */
    reset(to: Draft): void {
      setDraft(to);
      setTouchedFields([]);
      setSubmitted(false);
    },
    field<Name extends keyof Draft>(name: Name): InputOf<Draft[Name]> {
      const isShown = isSubmitted || (touchedFields.includes(name) && !fieldsCheckedOnSubmit.includes(name));
      return {
        value: draft[name],
        complaint: (isShown ? complaints[name] : undefined) ?? serverFieldErrors[name],
        readOnly: isPending,
        onChange: (value) => set({ [name]: value } as unknown as Partial<Draft>),
      };
    },
    submit: (send: () => void) => (event: FormEvent<HTMLFormElement>) => {
      event.preventDefault();
      if (check(event.currentTarget)) send();
    },
    forget: () => storedDraft?.forget(),
  };
}

function listFieldNames<Draft extends object>(draft: Draft): (keyof Draft)[] {
  return Object.keys(draft) as (keyof Draft)[];
}

export function useDiscardQuestion(form: { readonly isDirty: boolean; forget(): void }, onClose: () => void) {
  const [isLeaving, setLeaving] = useState(false);
  const discard = () => {
    form.forget();
    onClose();
  };
  return {
    leave: () => (form.isDirty ? setLeaving(true) : onClose()),
    question: isLeaving && (
      <Confirmation
        title="Discard your changes?"
        question="What you have typed has not been saved."
        actionTitle="Discard"
        cancelText="Keep editing"
        confirmedAction={{ run: discard }}
        onClose={() => setLeaving(false)}
      />
    ),
  };
}

interface FormDialogProps<Draft extends object> {
  readonly title: string;
  readonly actionTitle: string;
  readonly kind?: "middle" | "side";
  readonly form: Form<Draft>;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function FormDialog<Draft extends object>(props: FormDialogProps<Draft>) {
  const { title, actionTitle, kind = "middle", form, onSubmit, onClose, children } = props;
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
            {actionTitle}
          </button>
        </footer>
      </form>
      {question}
    </Dialog>
  );
}
