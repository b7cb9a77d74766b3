import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useAction } from "./action.ts";
import { ApiError, type Key, type NewKey, type Scope } from "./api.ts";
import { focusComplaint } from "./focus.ts";
import { More, usePages } from "./more.tsx";
import { Confirmation, Dialog, Empty, Failure, Field, Loading, Time } from "./parts.tsx";
import { names } from "./queries.ts";
import { complaintAbout, rules } from "./rules.ts";
import { useApi } from "./session.tsx";
import { useSubmission } from "./submission.ts";

/** The keys that others use the store with: for admins. */
export function Keys() {
  const api = useApi();
  const keys = usePages(names.keys, (cursor) => api.listKeys(cursor));
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<NewKey>();
  if (ApiError.is(keys.error, "Forbidden")) {
    return (
      <Empty title="Keys are for admins">
        <p>Your key does not have the scope admin. Sign in with one that has, or ask who runs the store.</p>
      </Empty>
    );
  }
  return (
    <>
      <div className="actions">
        <button type="button" className="primary" onClick={() => setMaking(true)}>
          Make a key
        </button>
      </div>
      {keys.isPending && <Loading what="keys" />}
      <Failure error={keys.error} onRetry={() => keys.refetch()} />
      {keys.isSuccess && keys.items.length === 0 && <Empty title="No keys are stored" />}
      {keys.items.length > 0 && (
        <div className="wide">
          <table>
            <caption className="unseen">Keys, the oldest first</caption>
            <thead>
              <tr>
                <th scope="col" className="minor">
                  Number
                </th>
                <th scope="col">Name</th>
                <th scope="col">Scope</th>
                <th scope="col">State</th>
                <th scope="col" className="minor">
                  Expires
                </th>
                <th scope="col" className="minor">
                  Last used
                </th>
                <th scope="col">
                  <span className="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keys.items.map((key) => (
                <KeyRow key={key.id} entry={key} onMade={setMade} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More pages={keys} />
      {isMaking && (
        <MakeKey
          onMade={(key) => {
            setMaking(false);
            setMade(key);
          }}
          onClose={() => setMaking(false)}
        />
      )}
      {made && <ShowOnce made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}

function KeyRow({ entry, onMade }: { entry: Key; onMade: (key: NewKey) => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const submission = useSubmission();
  const [isRotating, setRotating] = useState(false);
  const [isRevoking, setRevoking] = useState(false);
  const readAgain = () => queries.invalidateQueries({ queryKey: names.keys });
  const rotate = useAction({
    mutationFn: () => api.rotateKey(entry.id, submission.nameFor("rotate")),
    onSuccess(key) {
      submission.succeeded();
      setRotating(false);
      readAgain();
      onMade(key);
    },
  });
  const revoke = useAction({
    mutationFn: () => api.revokeKey(entry.id),
    onSuccess() {
      setRevoking(false);
      readAgain();
    },
  });
  const works = entry.state === "active" || entry.state === "retiring";
  return (
    <tr className={works ? undefined : "ended"}>
      <td className="number minor">{entry.id}</td>
      <td>
        <bdi>{entry.name}</bdi>
      </td>
      <td>{entry.scope}</td>
      <td>{entry.state}</td>
      <td className="minor">
        <Time at={entry.expiresAt} />
      </td>
      <td className="minor">
        <Time at={entry.lastUsedAt} />
      </td>
      <td className="actions">
        {entry.state === "active" && (
          <button type="button" aria-label={`Rotate key ${entry.id}`} onClick={() => setRotating(true)}>
            Rotate
          </button>
        )}
        {works && (
          <button
            type="button"
            className="danger quiet"
            aria-label={`Revoke key ${entry.id}`}
            onClick={() => setRevoking(true)}
          >
            Revoke
          </button>
        )}
        {isRotating && (
          <Confirmation
            title="Replace this key?"
            question={
              <>
                <bdi>{entry.name}</bdi> gets a new key, which is shown once. The old one, key {entry.id}, goes on
                working for a day.
              </>
            }
            action="Make the new key"
            refusal="Leave it"
            isBusy={rotate.isPending}
            error={rotate.error}
            onConfirm={() => rotate.run()}
            onClose={() => {
              setRotating(false);
              rotate.reset();
            }}
          />
        )}
        {isRevoking && (
          <Confirmation
            title="Revoke this key?"
            question={
              <>
                Whoever uses <bdi>{entry.name}</bdi>, key {entry.id}, is locked out at once; so are you, if it is the
                one that you have signed in with. This cannot be undone.
              </>
            }
            action="Revoke"
            isBusy={revoke.isPending}
            error={revoke.error}
            onConfirm={() => revoke.run()}
            onClose={() => {
              setRevoking(false);
              revoke.reset();
            }}
          />
        )}
      </td>
    </tr>
  );
}

const scopeTexts: Readonly<Record<Scope, string>> = {
  read: "read: look at everything but keys",
  write: "write: also add, change and order animals",
  admin: "admin: also make and revoke keys",
};

function MakeKey({ onMade, onClose }: { onMade: (key: NewKey) => void; onClose: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  const submission = useSubmission();
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("read");
  const [lastDay, setLastDay] = useState("");
  const [isTouched, setTouched] = useState(false);
  const complaint = complaintAbout(rules.key["name"], name.trim());
  const make = useAction({
    mutationFn: () => {
      const expiresAt = lastDay === "" ? undefined : endOf(lastDay).toISOString();
      const key = { name: name.trim(), scope, ...(expiresAt && { expiresAt }) };
      return api.createKey(key, submission.nameFor(key));
    },
    onSuccess(key) {
      submission.succeeded();
      queries.invalidateQueries({ queryKey: names.keys });
      onMade(key);
    },
  });
  const refused = make.error instanceof ApiError ? make.error.fields : {};
  const wrongDay = lastDay !== "" && endOf(lastDay) <= new Date() ? "Choose a day to come." : undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTouched(true);
    if (complaint || wrongDay) focusComplaint(event.currentTarget);
    else make.run();
  };
  return (
    <Dialog title="Make a key" onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <Field
          label="Name"
          hint="Who or what it is for."
          complaint={(isTouched ? complaint : undefined) ?? refused["name"]}
        >
          {(attributes) => (
            <input
              {...attributes}
              dir="auto"
              autoComplete="off"
              value={name}
              onChange={(event) => {
                setName(event.target.value);
                setTouched(true);
              }}
            />
          )}
        </Field>
        <Field label="Scope" complaint={refused["scope"]}>
          {(attributes) => (
            <select {...attributes} value={scope} onChange={(event) => setScope(event.target.value as Scope)}>
              {Object.entries(scopeTexts).map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field
          label="Last day"
          hint="Leave it empty for a key that does not expire."
          complaint={wrongDay ?? refused["expiresAt"]}
        >
          {(attributes) => (
            <input
              {...attributes}
              type="date"
              value={lastDay}
              onChange={(event) => {
                setLastDay(event.target.value);
                make.reset();
              }}
            />
          )}
        </Field>
        <Failure error={Object.keys(refused).length > 0 ? undefined : make.error} />
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={make.isPending}>
            Make it
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** A day ends where the person is. */
function endOf(day: string): Date {
  return new Date(`${day}T23:59:59`);
}

/** The store does not keep the key itself, so that it can be shown no other time. */
function ShowOnce({ made, onClose }: { made: NewKey; onClose: () => void }) {
  const [note, setNote] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(made.key);
      setNote("Copied.");
    } catch {
      setNote("This browser does not let pages copy here. Select the key and copy it yourself.");
    }
  };
  return (
    <Dialog title={`Key ${made.id}`}>
      <p>
        This is the key of <bdi>{made.name}</bdi>. It is shown only this once: copy it to a safe place.
      </p>
      <Field label="The key">
        {(attributes) => (
          <input
            {...attributes}
            className="secret"
            readOnly
            value={made.key}
            onFocus={(event) => event.target.select()}
          />
        )}
      </Field>
      <p role="status">{note}</p>
      <footer>
        <button type="button" onClick={onClose}>
          I have kept it
        </button>
        <button type="button" className="primary" onClick={copy}>
          Copy
        </button>
      </footer>
    </Dialog>
  );
}
