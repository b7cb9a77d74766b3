import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAction } from "./action.ts";
import { ApiError, type Key, type NewKey } from "./api.ts";
import { Confirmation } from "./dialog.tsx";
import { Listing, Time } from "./listing.tsx";
import { MakeKey } from "./make-key.tsx";
import { More, usePages } from "./more.tsx";
import { ShowNewKey } from "./new-key.tsx";
import { Empty, Failure, Loading } from "./notices.tsx";
import { names } from "./queries.ts";
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
        <Listing
          caption="Keys, the oldest first"
          columns={[["Number", "minor"], ["Name"], ["Scope"], ["State"], ["Expires", "minor"], ["Last used", "minor"]]}
        >
          {keys.items.map((key) => (
            <KeyRow key={key.id} entry={key} onMade={setMade} />
          ))}
        </Listing>
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
      {made && <ShowNewKey made={made} onClose={() => setMade(undefined)} />}
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
    onSettled: (_, error) => submission.settle("rotate", error),
    onSuccess(key) {
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
