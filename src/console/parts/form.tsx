import { type FormEvent, useLayoutEffect, useState } from "react";
import { Confirmation } from "./dialog.tsx";
import type { StoredDraft } from "./drafts.ts";
import { focusFirstComplaint } from "./focus.ts";

type Complaints<Draft> = Readonly<Partial<Record<keyof Draft, string | undefined>>>;

/** An action that sends the values of a form, as `useAction` returns it. */
interface Sending {
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: unknown;
  reset(): void;
}

export interface Form<Draft> {
  readonly draft: Draft;
  /** True if there is something to save: what differs from `initial`, unless the form says otherwise. */
  readonly isDirty: boolean;
  readonly isValid: boolean;
  readonly isRestored: boolean;
  /** The error of the last sending, unless it is about single fields, which then show it. */
  readonly error: unknown;
  readonly isPending: boolean;
  /** Sets fields as a person does: they can have complaints from then on. */
  set(changes: Partial<Draft>): void;
  /** Replaces the draft; its fields count as untouched. */
  reset(draft: Draft): void;
  field<Name extends keyof Draft>(name: Name): InputOf<Draft[Name]>;
  /** Returns true if the draft can be sent; otherwise shows all complaints, and moves the focus to the first. */
  check(form: HTMLFormElement): boolean;
  /** Returns the listener that calls `send` if the draft can be sent. */
  submit(send: () => void): (event: FormEvent<HTMLFormElement>) => void;
  forget(): void;
}

export interface InputOf<Value> {
  readonly value: Value;
  readonly complaint: string | undefined;
  readonly readOnly: boolean;
  onChange(value: Value): void;
}

/**
 * Returns the state of a form. A field shows its complaint once it was changed or the form was submitted, and until then what the
 * store said about it. `lateFields` wait for the submission, because what is typed there is wrong until it is complete.
 */
export function useForm<Draft extends object>(options: {
  readonly initial: Draft;
  /** The draft that the browser keeps until it is sent or discarded. */
  readonly kept?: StoredDraft<Draft>;
  readonly sending?: Sending;
  readonly refused?: Complaints<Draft>;
  readonly lateFields?: readonly (keyof Draft)[];
  isDirty?(draft: Draft): boolean;
  findComplaints(draft: Draft): Complaints<Draft>;
}): Form<Draft> {
  const { kept, sending, refused, lateFields = [] } = options;
  const [initial] = useState(options.initial);
  const [draft, setDraft] = useState<Draft>(() => ({ ...initial, ...kept?.found }));
  const [touched, setTouched] = useState<readonly (keyof Draft)[]>(() =>
    namesIn(draft).filter((name) => draft[name] !== initial[name]),
  );
  const [isSubmitted, setSubmitted] = useState(false);
  const complaints = options.findComplaints(draft);
  const isValid = Object.values(complaints).every((complaint) => complaint === undefined);
  const isDirty = options.isDirty?.(draft) ?? JSON.stringify(draft) !== JSON.stringify(initial);
  useLayoutEffect(() => kept?.keep(isDirty ? draft : undefined));
  const set = (changes: Partial<Draft>) => {
    setDraft((now) => ({ ...now, ...changes }));
    setTouched((before) => [...before, ...namesIn(changes)]);
    if (sending?.isError) sending.reset();
  };
  const check = (form: HTMLFormElement) => {
    setSubmitted(true);
    if (!isValid) focusFirstComplaint(form);
    return isValid;
  };
  return {
    draft,
    isDirty,
    isValid,
    isRestored: kept?.found !== undefined,
    error: Object.keys(refused ?? {}).length > 0 ? undefined : sending?.error,
    isPending: sending?.isPending ?? false,
    set,
    reset(to) {
      setDraft(to);
      setTouched([]);
      setSubmitted(false);
    },
    field<Name extends keyof Draft>(name: Name): InputOf<Draft[Name]> {
      const isShown = isSubmitted || (touched.includes(name) && !lateFields.includes(name));
      return {
        value: draft[name],
        complaint: (isShown ? complaints[name] : undefined) ?? refused?.[name],
        readOnly: sending?.isPending ?? false,
        onChange: (value) => set({ [name]: value } as unknown as Partial<Draft>),
      };
    },
    check,
    submit: (send) => (event) => {
      event.preventDefault();
      if (check(event.currentTarget)) send();
    },
    forget: () => kept?.forget(),
  };
}

function namesIn<Draft extends object>(draft: Draft): (keyof Draft)[] {
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
        action="Discard"
        cancelText="Go on"
        confirmed={{ run: discard }}
        onClose={() => setLeaving(false)}
      />
    ),
  };
}
