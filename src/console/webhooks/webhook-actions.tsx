import { useState } from "react";
import type { Webhook, WebhookDelivery } from "../../../packages/client/src/index.ts";
import { useAction } from "../api/action.ts";
import { queryKeys, useTools } from "../api/queries.ts";
import { Button, SelectField } from "../parts/controls.tsx";
import { Confirmation } from "../parts/dialog.tsx";
import { Failure } from "../parts/view.tsx";
import { useShowWebhookSecret, WebhookForm } from "./webhook-form.tsx";

export function WebhookActions({ webhook, onDeleted }: { webhook: Webhook; onDeleted: () => void }) {
  const { id, url, status } = webhook;
  const { store, notify, queries, isMounted } = useTools();
  const [dialog, setDialog] = useState<"change" | "rotate" | "replay" | "delete">();
  const [note, setNote] = useState<{ readonly text: string; readonly isFailure?: boolean }>();
  const close = () => setDialog(undefined);
  const refetch = () => queries.invalidateQueries({ queryKey: queryKeys.webhooks });
  const clearNote = () => setNote(undefined);
  const test = useAction<WebhookDelivery>({
    mutationFn: async (_, options) => await store.webhooks.test(id, options),
    onMutate: clearNote,
    onSuccess: ({ outcome, responseStatus, durationMs, error }) =>
      setNote(
        outcome === "delivered"
          ? { text: `The test was delivered: the receiver answered with ${responseStatus} after ${durationMs} ms.` }
          : { text: `The test failed. ${error ?? ""}`, isFailure: true },
      ),
    onSettled: refetch,
  });
  const change = useAction({
    mutationFn: async (to: Webhook["status"]) => await store.webhooks.update(id, { status: to }),
    onMutate: clearNote,
    onSettled: refetch,
  });
  const remove = useAction({
    mutationFn: async () => await store.webhooks.delete(id),
    onSuccess() {
      notify({ text: `Webhook ${id} is deleted.` });
      if (isMounted()) onDeleted();
      queries.invalidateQueries({ queryKey: [...queryKeys.webhooks, "list"] });
    },
  });
  return (
    <>
      <div className="actions">
        <Button disabled={test.isPending} onClick={() => test.run()}>
          {test.isPending ? "Sending a test" : "Send a test"}
        </Button>
        <Button disabled={change.isPending} onClick={() => change.run(status === "enabled" ? "disabled" : "enabled")}>
          {status === "enabled" ? "Disable" : "Enable"}
        </Button>
        <Button onClick={() => setDialog("change")}>Change</Button>
        <Button onClick={() => setDialog("rotate")}>Rotate the secret</Button>
        <Button onClick={() => setDialog("replay")}>Replay</Button>
        <Button className="danger quiet" onClick={() => setDialog("delete")}>
          Delete
        </Button>
      </div>
      <div role="status" className={note && `notice ${note.isFailure ? "failure" : ""}`}>
        {note && <p>{note.text}</p>}
      </div>
      <Failure error={test.error ?? change.error} />
      {dialog === "change" && <WebhookForm webhook={webhook} onClose={close} />}
      {dialog === "rotate" && <RotateSecret id={id} onClose={close} />}
      {dialog === "replay" && <ReplayEvents id={id} onDone={(text) => setNote({ text })} onClose={close} />}
      {dialog === "delete" && (
        <Confirmation
          title={`Delete webhook ${id}?`}
          question={
            <>
              Nothing more is sent to <bdi>{url}</bdi>, and its secret and its deliveries are gone. This cannot be
              undone.
            </>
          }
          actionTitle="Delete it"
          confirmedAction={remove}
          onClose={close}
        />
      )}
    </>
  );
}

function RotateSecret({ id, onClose }: { id: number; onClose: () => void }) {
  const { store, queries, isMounted } = useTools();
  const showSecret = useShowWebhookSecret();
  const [overlapSeconds, setOverlapSeconds] = useState(daySeconds);
  const rotate = useAction({
    mutationFn: async (overlap: number, options) =>
      await store.webhooks.rotateSecret(id, { overlapSeconds: overlap }, options),
    onSuccess(rotated) {
      queries.invalidateQueries({ queryKey: queryKeys.webhooks });
      if (isMounted()) onClose();
      showSecret(rotated);
    },
  });
  return (
    <Confirmation
      title="Rotate the secret?"
      question={`Webhook ${id} gets a new secret, which is shown once. While the old one works, events are signed with both.`}
      actionTitle="Create the new secret"
      cancelText="Leave it"
      confirmedAction={{ ...rotate, run: () => rotate.run(overlapSeconds) }}
      onClose={onClose}
    >
      <SelectField
        label="The old secret"
        options={overlapOptions}
        value={overlapSeconds}
        onChange={(seconds) => setOverlapSeconds(Number(seconds))}
      />
    </Confirmation>
  );
}

const daySeconds = 24 * 60 * 60;
const overlapOptions: readonly (readonly [seconds: number, text: string])[] = [
  [daySeconds, "works for another day"],
  [7 * daySeconds, "works for another week"],
  [30 * daySeconds, "works for another 30 days"],
  [0, "stops working at once: it has leaked"],
];

function ReplayEvents({ id, onDone, onClose }: { id: number; onDone: (text: string) => void; onClose: () => void }) {
  const { store, queries, isMounted } = useTools();
  const [start, setStart] = useState<ReplayStart>("beginning");
  const replay = useAction({
    mutationFn: async (from: ReplayStart, options) => await store.webhooks.replay(id, { from }, options),
    onSuccess(_, from) {
      queries.invalidateQueries({ queryKey: queryKeys.webhooks });
      if (isMounted()) onClose();
      onDone(replayStarts[from].done);
    },
  });
  return (
    <Confirmation
      title={`Replay to webhook ${id}?`}
      question="Pending retries are dropped, and events are sent:"
      actionTitle={replayStarts[start].actionTitle}
      cancelText="Leave it"
      confirmedAction={{ ...replay, run: () => replay.run(start) }}
      onClose={onClose}
    >
      <fieldset className="choices">
        <legend className="unseen">From where</legend>
        {(Object.keys(replayStarts) as ReplayStart[]).map((option) => (
          <label key={option} className="choice">
            <input type="radio" name="start" checked={start === option} onChange={() => setStart(option)} />
            <span>
              {replayStarts[option].title}
              <small>{replayStarts[option].meaning}</small>
            </span>
          </label>
        ))}
      </fieldset>
    </Confirmation>
  );
}

type ReplayStart = keyof typeof replayStarts;

const replayStarts = {
  beginning: {
    title: "From the beginning",
    meaning: "Everything that is still in the log is sent again, with the same ids.",
    actionTitle: "Send everything again",
    done: "Everything that is still in the log is sent again.",
  },
  end: {
    title: "From the end",
    meaning: "Events so far that were not delivered are skipped for good.",
    actionTitle: "Skip to the end",
    done: "Events so far are skipped.",
  },
} as const;
