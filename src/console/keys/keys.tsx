import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAction } from "../api/action.ts";
import type { CurrentKey, Key, NewKey } from "../api/api.ts";
import { names, useCurrentKey } from "../api/queries.ts";
import { useSubmission } from "../api/submission.ts";
import { ActionConfirmation } from "../parts/dialog.tsx";
import { Listing, Time } from "../parts/listing.tsx";
import { More, usePages } from "../parts/more.tsx";
import { Empty, Failure, Loading } from "../parts/notices.tsx";
import { useMay } from "../session/permission.tsx";
import { useApi } from "../session/session.tsx";
import { MakeKey } from "./make-key.tsx";
import { ShowNewKey } from "./new-key.tsx";

/** The keys that others use the store with: for admins. */
export function Keys() {
  const { data: own, isPending } = useCurrentKey(useApi());
  const mayAdmin = useMay("admin");
  if (isPending) return <Loading what="keys" />;
  if (mayAdmin) return <KeyList own={own} />;
  return (
    <Empty title="Only admins can manage keys">
      <p>
        Your key has the scope {own?.scope}. Sign in with one that has the scope admin, or ask the operator of the
        store.
      </p>
    </Empty>
  );
}

function KeyList({ own }: { own: CurrentKey | undefined }) {
  const api = useApi();
  const keys = usePages(names.keys, (cursor) => api.listKeys(cursor));
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<NewKey>();
  return (
    <>
      <div className="actions">
        <button type="button" className="primary" onClick={() => setMaking(true)}>
          Create a key
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
            <KeyRow key={key.id} entry={key} isOwn={key.id === own?.id} onMade={setMade} />
          ))}
        </Listing>
      )}
      <More pages={keys} />
      {isMaking && (
        <MakeKey
          latest={own?.expiresAt ?? undefined}
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

function KeyRow({ entry, isOwn, onMade }: { entry: Key; isOwn: boolean; onMade: (key: NewKey) => void }) {
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
        {isOwn && <span className="hint"> (yours)</span>}
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
          <ActionConfirmation
            title="Rotate this key?"
            question={
              <>
                <bdi>{entry.name}</bdi> gets a new key, which is shown once. The old one, key {entry.id}, keeps working
                for a day.{isOwn && " You have signed in with it: sign in with the new one before that."}
              </>
            }
            action="Create the new key"
            refusal="Leave it"
            confirmed={rotate}
            onClose={() => setRotating(false)}
          />
        )}
        {isRevoking && (
          <ActionConfirmation
            title="Revoke this key?"
            question={
              <>
                Everybody who uses <bdi>{entry.name}</bdi>, key {entry.id}, is locked out immediately
                {isOwn && "; so are you, since you have signed in with it"}. This cannot be undone.
              </>
            }
            action="Revoke"
            confirmed={revoke}
            onClose={() => setRevoking(false)}
          />
        )}
      </td>
    </tr>
  );
}
