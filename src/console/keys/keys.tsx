import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { CreatedKey, CurrentKey, Key } from "../../../packages/client/src/index.ts";
import { useAction } from "../api/action.ts";
import { keysChanged, names } from "../api/queries.ts";
import { longestPage } from "../api/store.ts";
import { Ago } from "../parts/ago.tsx";
import { Button } from "../parts/button.tsx";
import { Confirmation } from "../parts/dialog.tsx";
import { focusRowAfter } from "../parts/focus.ts";
import { Heading } from "../parts/heading.tsx";
import { Icon } from "../parts/icons.tsx";
import { Listing, Time } from "../parts/listing.tsx";
import { More, usePages } from "../parts/more.tsx";
import { Empty } from "../parts/notices.tsx";
import { type Secret, useShowOnce } from "../parts/shown-once.tsx";
import { Reading } from "../parts/unread.tsx";
import { AdminsOnly } from "../session/permission.tsx";
import { useStore } from "../session/session.tsx";
import { MakeKey } from "./make-key.tsx";

export function Keys() {
  return (
    <AdminsOnly view="keys" title="Keys">
      {(own) => <KeyList own={own} />}
    </AdminsOnly>
  );
}

function KeyList({ own }: { own: CurrentKey | undefined }) {
  const store = useStore();
  const keys = usePages(names.keys, (cursor) => store.keys.list({ limit: longestPage, cursor }).page());
  const [isMaking, setMaking] = useState(false);
  const showOnce = useShowOnce();
  const onMade = (made: CreatedKey) => showOnce(secretOf(made));
  return (
    <>
      <Heading title="Keys">
        <Button className="primary" onClick={() => setMaking(true)}>
          <Icon name="plus" size={16} />
          Create a key
        </Button>
      </Heading>
      <Reading query={keys} what="keys" />
      {keys.isSuccess && keys.items.length === 0 && <Empty title="No keys are stored" icon="keys" />}
      {keys.items.length > 0 && (
        <Listing
          caption="Keys, the oldest first"
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
            <KeyRow key={key.id} entry={key} isOwn={key.id === own?.id} onMade={onMade} />
          ))}
        </Listing>
      )}
      <More pages={keys} />
      {isMaking && <MakeKey latest={own?.expiresAt ?? undefined} onMade={onMade} onClose={() => setMaking(false)} />}
    </>
  );
}

function KeyRow({ entry, isOwn, onMade }: { entry: Key; isOwn: boolean; onMade: (key: CreatedKey) => void }) {
  const store = useStore();
  const queries = useQueryClient();
  const row = useRef<HTMLTableRowElement>(null);
  const [asked, setAsked] = useState<"rotate" | "revoke">();
  const readAgain = () => keysChanged(queries);
  const rotate = useAction<CreatedKey>({
    mutationFn: async (_, options) => await store.keys.rotate(entry.id, undefined, options),
    onSuccess(key) {
      setAsked(undefined);
      readAgain();
      onMade(key);
    },
  });
  const revoke = useAction({
    mutationFn: async () => await store.keys.revoke(entry.id),
    onSuccess() {
      setAsked(undefined);
      readAgain();
      focusRowAfter(row.current);
    },
  });
  const works = entry.state === "active" || entry.state === "retiring";
  return (
    <tr ref={row} className={works ? undefined : "ended"}>
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
          <Button aria-label={`Rotate key ${entry.id}`} onClick={() => setAsked("rotate")}>
            Rotate
          </Button>
        )}
        {works && (
          <Button className="danger quiet" aria-label={`Revoke key ${entry.id}`} onClick={() => setAsked("revoke")}>
            Revoke
          </Button>
        )}
        {asked === "rotate" && (
          <Confirmation
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
            onClose={() => setAsked(undefined)}
          />
        )}
        {asked === "revoke" && (
          <Confirmation
            title="Revoke this key?"
            question={
              <>
                Everybody who uses <bdi>{entry.name}</bdi>, key {entry.id}, is locked out immediately
                {isOwn && "; so are you, since you have signed in with it"}. This cannot be undone.
              </>
            }
            action="Revoke"
            confirmed={revoke}
            onClose={() => setAsked(undefined)}
          />
        )}
      </td>
    </tr>
  );
}

function secretOf({ id, name, key }: CreatedKey): Secret {
  return {
    title: `Key ${id}`,
    label: "The key",
    secret: key,
    text: (
      <>
        This is the key of <bdi>{name}</bdi>. It is shown only this once: copy it to a safe place.
      </>
    ),
  };
}
