import { useQueryClient } from "@tanstack/react-query";
import type { CreatedKey, NewKey, Scope } from "../../../packages/client/src/index.ts";
import { useAction } from "../api/action.ts";
import { fieldsOf } from "../api/errors.ts";
import { names } from "../api/queries.ts";
import { complaintAbout, rules } from "../api/rules.ts";
import { useDraft } from "../parts/drafts.ts";
import { Field, TextField } from "../parts/field.tsx";
import { useForm } from "../parts/form.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Select } from "../parts/select.tsx";
import { useIsThere } from "../parts/there.ts";
import { useStore } from "../session/session.tsx";

interface Draft {
  readonly name: string;
  readonly scope: Scope;
  readonly lastDay: string;
}

const draftName = "new key";
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
  /** The expiry of the user's own key, if any: no key can create one that outlives it. */
  latest: string | undefined;
  onMade: (key: CreatedKey) => void;
  onClose: () => void;
}) {
  const store = useStore();
  const queries = useQueryClient();
  const isThere = useIsThere();
  const kept = useDraft<Draft>(draftName);
  const make = useAction({
    draft: draftName,
    mutationFn: async (key: NewKey, options) => await store.keys.create(key, options),
    onSuccess(key) {
      kept.forget();
      queries.invalidateQueries({ queryKey: names.keys });
      if (isThere()) onClose();
      onMade(key);
    },
  });
  const { expiresAt: lastDayRefused, ...refused } = fieldsOf(make.error);
  const form = useForm<Draft>({
    initial: { name: "", scope: "read", lastDay: "" },
    kept,
    sending: make,
    refused: { ...refused, ...(lastDayRefused !== undefined && { lastDay: lastDayRefused }) },
    isTyped: ({ name, lastDay }) => name !== "" || lastDay !== "",
    complaintsAbout: ({ name, lastDay }) => ({
      name: complaintAbout(rules.key["name"], name.trim()),
      lastDay: lastDay === "" ? undefined : complaintAboutDay(endOf(lastDay), latest),
    }),
  });
  const submit = () => {
    const { name, scope, lastDay } = form.draft;
    const expiresAt = lastDay === "" ? latest : endOf(lastDay).toISOString();
    make.run({ name: name.trim(), scope, ...(expiresAt !== undefined && { expiresAt }) });
  };
  const { complaint, value, onChange } = form.field("scope");
  return (
    <FormDialog title="Create a key" action="Create key" form={form} onSubmit={submit} onClose={onClose}>
      <TextField label="Name" hint="Who or what it is for." {...form.field("name")} />
      <Field label="Scope" complaint={complaint}>
        {(attributes) => (
          <Select
            {...attributes}
            value={value}
            disabled={make.isPending}
            onChange={(event) => onChange(event.target.value as Scope)}
          >
            {Object.entries(scopeTexts).map(([scope, text]) => (
              <option key={scope} value={scope}>
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
        type="date"
        max={maxDay}
        {...form.field("lastDay")}
      />
    </FormDialog>
  );
}

/** The last day whose year has four digits. */
const maxDay = "9999-12-31";

/** Returns the end of a day in the time zone of the user. */
function endOf(day: string): Date {
  return new Date(`${day}T23:59:59`);
}

function complaintAboutDay(end: Date, latest: string | undefined): string | undefined {
  // A year of five digits makes an invalid date.
  if (!(end <= endOf(maxDay))) return "Use a year of four digits.";
  if (end <= new Date()) return "Choose a future date.";
  return latest !== undefined && end > new Date(latest)
    ? "Choose an earlier date: your own key expires before that."
    : undefined;
}
