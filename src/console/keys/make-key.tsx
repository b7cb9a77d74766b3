import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useLayoutEffect, useState } from "react";
import type { CreatedKey, NewKey, Scope } from "../../client/index.ts";
import { useAction } from "../api/action.ts";
import { fieldsOf } from "../api/errors.ts";
import { names } from "../api/queries.ts";
import { complaintAbout, rules } from "../api/rules.ts";
import { useSubmission } from "../api/submission.ts";
import { Dialog, DiscardQuestion } from "../parts/dialog.tsx";
import { useDraft } from "../parts/drafts.ts";
import { Field, TextField } from "../parts/field.tsx";
import { focusComplaint } from "../parts/focus.ts";
import { Failure, Restored } from "../parts/notices.tsx";
import { Select } from "../parts/select.tsx";
import { useIsThere } from "../parts/there.ts";
import { useStore } from "../session/session.tsx";

const newKey = "new key";

const scopeTexts: Readonly<Record<Scope, string>> = {
  read: "read: view everything except keys and webhooks",
  write: "write: also add, change and order animals",
  admin: "admin: also manage keys and webhooks",
};

export function MakeKey({
  latest,
  onMade,
  onClose,
}: {
  /** When the key ends that makes it, if ever: no key can give a longer life than its own. */
  latest: string | undefined;
  onMade: (key: CreatedKey) => void;
  onClose: () => void;
}) {
  const store = useStore();
  const queries = useQueryClient();
  const submission = useSubmission(newKey);
  const isThere = useIsThere();
  const { found, keep, forget } = useDraft<{ name: string; scope: Scope; lastDay: string }>(newKey);
  const [name, setName] = useState(found?.name ?? "");
  const [scope, setScope] = useState<Scope>(found?.scope ?? "read");
  const [lastDay, setLastDay] = useState(found?.lastDay ?? "");
  const [isLeaving, setLeaving] = useState(false);
  const [isTouched, setTouched] = useState(false);
  const complaint = complaintAbout(rules.key["name"], name.trim());
  const make = useAction({
    mutationFn: async (key: NewKey) => await store.keys.create(key, submission.of(key)),
    onSuccess(key) {
      forget();
      queries.invalidateQueries({ queryKey: names.keys });
      if (isThere()) onClose();
      onMade(key);
    },
    onSettled: (_, error, key) => submission.settle(key, error),
  });
  const refused = fieldsOf(make.error);
  const wrongDay = lastDay === "" ? undefined : complaintAboutDay(endOf(lastDay), latest);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTouched(true);
    if (complaint || wrongDay) focusComplaint(event.currentTarget);
    else {
      const expiresAt = lastDay === "" ? latest : endOf(lastDay).toISOString();
      make.run({ name: name.trim(), scope, ...(expiresAt !== undefined && { expiresAt }) });
    }
  };
  const isTyped = name !== "" || lastDay !== "";
  useLayoutEffect(() => keep(isTyped ? { name, scope, lastDay } : undefined));
  const leave = () => (isTyped ? setLeaving(true) : onClose());
  const discard = () => {
    forget();
    onClose();
  };
  return (
    <Dialog title="Create a key" onClose={leave}>
      <form onSubmit={submit} noValidate>
        {found && <Restored />}
        <TextField
          label="Name"
          hint="Who or what it is for."
          complaint={(isTouched ? complaint : undefined) ?? refused["name"]}
          value={name}
          readOnly={make.isPending}
          onChange={(text) => {
            setName(text);
            setTouched(true);
            if (make.isError) make.reset();
          }}
        />
        <Field label="Scope" complaint={refused["scope"]}>
          {(attributes) => (
            <Select
              {...attributes}
              value={scope}
              disabled={make.isPending}
              onChange={(event) => setScope(event.target.value as Scope)}
            >
              {Object.entries(scopeTexts).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <TextField
          label="Last day"
          hint={
            latest === undefined
              ? "Leave it empty for a key that does not expire."
              : `Leave it empty for a key that expires with yours, on ${new Date(latest).toLocaleString()}.`
          }
          complaint={wrongDay ?? refused["expiresAt"]}
          type="date"
          max={furthestDay}
          value={lastDay}
          readOnly={make.isPending}
          onChange={(text) => {
            setLastDay(text);
            if (make.isError) make.reset();
          }}
        />
        <Failure error={Object.keys(refused).length > 0 ? undefined : make.error} />
        <footer>
          <button type="button" onClick={leave}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={make.isPending}>
            Create key
          </button>
        </footer>
      </form>
      {isLeaving && <DiscardQuestion onDiscard={discard} onClose={() => setLeaving(false)} />}
    </Dialog>
  );
}

/** The last that is written with a year of four digits. */
const furthestDay = "9999-12-31";

/** A day ends where the person is. */
function endOf(day: string): Date {
  return new Date(`${day}T23:59:59`);
}

function complaintAboutDay(end: Date, latest: string | undefined): string | undefined {
  // A year of five digits is no date to begin with.
  if (!(end <= endOf(furthestDay))) return "Use a year of four digits.";
  if (end <= new Date()) return "Choose a future date.";
  return latest !== undefined && end > new Date(latest)
    ? "Choose an earlier date: your own key expires before that."
    : undefined;
}
