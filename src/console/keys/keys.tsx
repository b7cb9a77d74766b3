import { useRef, useState } from "react";
import type { CreatedKey, Key, NewKey, Scope } from "../../../packages/client/src/index.ts";
import { useAction } from "../api/action.ts";
import { queryKeys, useCurrentKey, useTools } from "../api/queries.ts";
import { findComplaint, rules } from "../api/rules.ts";
import { maxPageSize } from "../api/store.ts";
import { Ago } from "../parts/ago.tsx";
import { Button, SelectField, TextField } from "../parts/controls.tsx";
import { Confirmation } from "../parts/dialog.tsx";
import { useStoredDraft } from "../parts/drafts.ts";
import { focusNextRow } from "../parts/focus.ts";
import { FormDialog, useForm } from "../parts/form.tsx";
import { Listing, NextPageButton, Time, usePages } from "../parts/listing.tsx";
import { useShowSecret } from "../parts/secret-dialog.tsx";
import { Empty, Heading, QueryStatus } from "../parts/view.tsx";
import { rightsByScope } from "../session/permission.tsx";
import { useStore } from "../session/session.tsx";

export function Keys() {
  const store = useStore();
  const { data: ownKey } = useCurrentKey();
  const keys = usePages([...queryKeys.keys, "list"], (cursor) =>
    store.keys.list({ limit: maxPageSize, cursor }).page(),
  );
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <Heading title="Keys">
        <Button className="primary" onClick={() => setCreating(true)} icon="plus">
          Create a key
        </Button>
      </Heading>
      <QueryStatus query={keys} what="keys" />
      {keys.isSuccess && keys.items.length === 0 && <Empty title="No keys are stored" icon="keys" />}
      {keys.items.length > 0 && (
        <Listing
          caption="Keys, oldest first"
          columns={[
            ["Number", "minor least"],
            ["Name", "long"],
            ["Scope"],
            ["State"],
            ["Expires", "minor"],
            ["Last used", "minor"],
          ]}
          isFolding
        >
          {keys.items.map((key) => (
            <KeyRow key={key.id} entry={key} isOwn={key.id === ownKey?.id} />
          ))}
        </Listing>
      )}
      <NextPageButton pages={keys} />
      {isCreating && <CreateKey maxExpiry={ownKey?.expiresAt ?? undefined} onClose={() => setCreating(false)} />}
    </>
  );
}

function KeyRow({ entry, isOwn }: { entry: Key; isOwn: boolean }) {
  const { store, queries } = useTools();
  const showKey = useShowKey();
  const row = useRef<HTMLTableRowElement>(null);
  const [dialog, setDialog] = useState<"rotate" | "revoke">();
  const close = () => setDialog(undefined);
  const rotate = useAction<CreatedKey>({
    mutationFn: async (_, options) => await store.keys.rotate(entry.id, undefined, options),
    onSuccess(key) {
      close();
      queries.invalidateQueries({ queryKey: queryKeys.keys });
      showKey(key);
    },
  });
  const revoke = useAction({
    mutationFn: async () => await store.keys.revoke(entry.id),
    onSuccess() {
      close();
      queries.invalidateQueries({ queryKey: queryKeys.keys });
      focusNextRow(row.current);
    },
  });
  const isValid = entry.state === "active" || entry.state === "retiring";
  return (
    <tr ref={row} className={isValid ? undefined : "ended"}>
      <td className="number minor least">{entry.id}</td>
      <td>
        <bdi>{entry.name}</bdi>
        {isOwn && <span className="hint"> (yours)</span>}
      </td>
      <td>{entry.scope}</td>
      <td>
        <span className={`state ${entry.state}`}>{entry.state}</span>
      </td>
      <td className="minor">
        <Time at={entry.expiresAt} />
      </td>
      <td className="minor">
        {entry.lastUsedAt === null ? <span className="none">never</span> : <Ago at={entry.lastUsedAt} />}
      </td>
      <td className="actions">
        {entry.state === "active" && (
          <Button aria-label={`Rotate key ${entry.id}`} onClick={() => setDialog("rotate")}>
            Rotate
          </Button>
        )}
        {isValid && (
          <Button className="danger quiet" aria-label={`Revoke key ${entry.id}`} onClick={() => setDialog("revoke")}>
            Revoke
          </Button>
        )}
        {dialog === "rotate" && (
          <Confirmation
            title="Rotate this key?"
            question={
              <>
                <bdi>{entry.name}</bdi> gets a new key, which is shown once. The old one, key {entry.id}, keeps working
                for a day.{isOwn && " You have signed in with it: sign in with the new one before then."}
              </>
            }
            actionTitle="Create the new key"
            cancelText="Leave it"
            confirmedAction={rotate}
            onClose={close}
          />
        )}
        {dialog === "revoke" && (
          <Confirmation
            title="Revoke this key?"
            question={
              <>
                Everybody who uses <bdi>{entry.name}</bdi>, key {entry.id}, is locked out immediately
                {isOwn && "; so are you, since you have signed in with it"}. This cannot be undone.
              </>
            }
            actionTitle="Revoke"
            confirmedAction={revoke}
            onClose={close}
          />
        )}
      </td>
    </tr>
  );
}

function useShowKey(): (key: CreatedKey) => void {
  const showSecret = useShowSecret();
  return ({ id, name, key }) => {
    const text = (
      <>
        This is the key of <bdi>{name}</bdi>. It is shown only this once: copy it to a safe place.
      </>
    );
    showSecret({ title: `Key ${id}`, label: "The key", secret: key, text });
  };
}

const draftName = "new key";
const scopeOptions = Object.entries(rightsByScope).map(([scope, ability]) => [scope, `${scope}: ${ability}`] as const);

interface CreateKeyProps {
  /** The expiry of the user's own key. No key that the user creates may expire later. */
  readonly maxExpiry: string | undefined;
  readonly onClose: () => void;
}

function CreateKey({ maxExpiry, onClose }: CreateKeyProps) {
  const { store, queries, isMounted } = useTools();
  const showKey = useShowKey();
  const storedDraft = useStoredDraft<{ name: string; scope: Scope; expiresAt: string }>(draftName);
  const create = useAction({
    draft: draftName,
    mutationFn: async (key: NewKey, options) => await store.keys.create(key, options),
    onSuccess(key) {
      storedDraft.forget();
      queries.invalidateQueries({ queryKey: queryKeys.keys });
      if (isMounted()) onClose();
      showKey(key);
    },
  });
  const form = useForm({
    initial: { name: "", scope: "read" as Scope, expiresAt: "" },
    storedDraft,
    sending: create,
    isDirty: ({ name, expiresAt }) => name !== "" || expiresAt !== "",
    findComplaints: ({ name, expiresAt }) => ({
      name: findComplaint(rules.key["name"], name.trim()),
      expiresAt: expiresAt === "" ? undefined : findDayComplaint(toEndOfDay(expiresAt), maxExpiry),
    }),
  });
  const submit = () => {
    const { name, scope, expiresAt: lastDay } = form.draft;
    const expiresAt = lastDay === "" ? maxExpiry : toEndOfDay(lastDay).toISOString();
    create.run({ name: name.trim(), scope, ...(expiresAt !== undefined && { expiresAt }) });
  };
  const scope = form.field("scope");
  return (
    <FormDialog title="Create a key" actionTitle="Create key" form={form} onSubmit={submit} onClose={onClose}>
      <TextField label="Name" hint="Who or what it is for." {...form.field("name")} />
      <SelectField
        label="Scope"
        options={scopeOptions}
        {...scope}
        onChange={(chosen) => scope.onChange(chosen as Scope)}
      />
      <TextField
        label="Last day"
        hint={
          maxExpiry === undefined
            ? "Leave it empty for a key that does not expire."
            : `Leave it empty for a key that expires with yours, on ${new Date(maxExpiry).toLocaleString()}.`
        }
        type="date"
        max="9999-12-31"
        {...form.field("expiresAt")}
      />
    </FormDialog>
  );
}

function toEndOfDay(day: string): Date {
  return new Date(`${day}T23:59:59`);
}

function findDayComplaint(end: Date, maxExpiry: string | undefined): string | undefined {
  // A five-digit year makes the date invalid, and every comparison with an invalid date is false.
  if (!(end > new Date())) return "Choose a future date, with a four-digit year.";
  if (maxExpiry === undefined || end <= new Date(maxExpiry)) return undefined;
  return "Choose an earlier date: your own key expires before that.";
}
