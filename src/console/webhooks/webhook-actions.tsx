import { useState } from "react";
import type { CreatedWebhook, Webhook, WebhookDelivery } from "../../../packages/client/src/index.ts";
import { useAction } from "../api/action.ts";
import { queryKeys, useTools } from "../api/queries.ts";
import { Button, SelectField } from "../parts/controls.tsx";
import { Confirmation } from "../parts/dialog.tsx";
import { Failure } from "../parts/view.tsx";
import { ChangeWebhook } from "./webhook-form.tsx";

interface WebhookActionsProps {
  readonly webhook: Webhook;
  readonly onRotated: (webhook: CreatedWebhook) => void;
  readonly onDeleted: () => void;
}

export function WebhookActions({ webhook, onRotated, onDeleted }: WebhookActionsProps) {
  const { id, url, status } = webhook;
  const { store, notify, queries, isMounted } = useTools();
  const [asked, setAsked] = useState<"change" | "rotate" | "replay" | "delete">();
  const [news, setNews] = useState<News>();
  const readAgain = () => queries.invalidateQueries({ queryKey: queryKeys.webhooks });
  const test = useAction<WebhookDelivery>({
    mutationFn: async (_, options) => await store.webhooks.test(id, options),
    onMutate: () => setNews(undefined),
    onSuccess: (delivery) => setNews(outcomeOf(delivery)),
    onSettled: readAgain,
  });
  const change = useAction({
    mutationFn: async (to: Webhook["status"]) => await store.webhooks.update(id, { status: to }),
    onMutate: () => setNews(undefined),
    onSettled: readAgain,
  });
  const remove = useAction({
    mutationFn: async () => await store.webhooks.delete(id),
    onSuccess() {
      notify({ text: `Webhook ${id} is deleted.` });
      if (isMounted()) onDeleted();
      queries.invalidateQueries({ queryKey: [...queryKeys.webhooks, "list"] });
    },
  });
  const close = () => setAsked(undefined);
  return (
    <>
      <div className="actions">
        <Button disabled={test.isPending} onClick={() => test.run()}>
          {test.isPending ? "Sending a test" : "Send a test"}
        </Button>
        <Button disabled={change.isPending} onClick={() => change.run(status === "enabled" ? "disabled" : "enabled")}>
          {status === "enabled" ? "Disable" : "Enable"}
        </Button>
        <Button onClick={() => setAsked("change")}>Change</Button>
        <Button onClick={() => setAsked("rotate")}>Rotate the secret</Button>
        <Button onClick={() => setAsked("replay")}>Replay</Button>
        <Button className="danger quiet" onClick={() => setAsked("delete")}>
          Delete
        </Button>
      </div>
      <div role="status" className={news && `notice ${news.isBad ? "failure" : ""}`}>
        {news && <p>{news.text}</p>}
      </div>
      <Failure error={test.error ?? change.error} />
      {asked === "change" && <ChangeWebhook webhook={webhook} onClose={close} />}
      {asked === "rotate" && (
        <RotateSecret
          id={id}
          onRotated={(rotated) => {
            readAgain();
            onRotated(rotated);
          }}
          onClose={close}
        />
      )}
      {asked === "replay" && (
        <ReplayEvents
          id={id}
          onReplayed={(text) => {
            readAgain();
            setNews({ text });
          }}
          onClose={close}
        />
      )}
      {asked === "delete" && (
        <Confirmation
          title={`Delete webhook ${id}?`}
          question={
            <>
              Nothing more is sent to <bdi>{url}</bdi>, and its secret and its deliveries are gone. This cannot be
              undone.
            </>
          }
          action="Delete it"
          confirmed={remove}
          onClose={close}
        />
      )}
    </>
  );
}

interface News {
  readonly text: string;
  readonly isBad?: boolean;
}

function outcomeOf({ outcome, responseStatus, durationMs, error }: WebhookDelivery): News {
  return outcome === "delivered"
    ? { text: `The test was delivered: the receiver answered with ${responseStatus} after ${durationMs} ms.` }
    : { text: `The test failed. ${error ?? ""}`, isBad: true };
}

interface RotateSecretProps {
  readonly id: number;
  readonly onRotated: (webhook: CreatedWebhook) => void;
  readonly onClose: () => void;
}

function RotateSecret({ id, onRotated, onClose }: RotateSecretProps) {
  const { store, isMounted } = useTools();
  const [overlapSeconds, setOverlapSeconds] = useState(day);
  const rotate = useAction({
    mutationFn: async (overlap: number, options) =>
      await store.webhooks.rotateSecret(id, { overlapSeconds: overlap }, options),
    onSuccess(rotated) {
      if (isMounted()) onClose();
      onRotated(rotated);
    },
  });
  return (
    <Confirmation
      title="Rotate the secret?"
      question={`Webhook ${id} gets a new secret, which is shown once. For as long as the old one works, events are signed with both.`}
      action="Create the new secret"
      cancelText="Leave it"
      confirmed={{ ...rotate, run: () => rotate.run(overlapSeconds) }}
      onClose={onClose}
    >
      <SelectField
        label="The old secret"
        options={overlaps}
        value={overlapSeconds}
        onChange={(seconds) => setOverlapSeconds(Number(seconds))}
      />
    </Confirmation>
  );
}

const day = 24 * 60 * 60;
const overlaps = [
  [day, "works for another day"],
  [7 * day, "works for another week"],
  [30 * day, "works for another 30 days"],
  [0, "stops working at once: it has leaked"],
] as const satisfies readonly (readonly [seconds: number, text: string])[];

interface ReplayEventsProps {
  readonly id: number;
  readonly onReplayed: (text: string) => void;
  readonly onClose: () => void;
}

function ReplayEvents({ id, onReplayed, onClose }: ReplayEventsProps) {
  const { store, isMounted } = useTools();
  const [from, setFrom] = useState<keyof typeof places>("beginning");
  const replay = useAction({
    mutationFn: async (place: keyof typeof places, options) =>
      await store.webhooks.replay(id, { from: place }, options),
    onSuccess(_, place) {
      if (isMounted()) onClose();
      onReplayed(places[place].done);
    },
  });
  return (
    <Confirmation
      title={`Replay to webhook ${id}?`}
      question="Pending retries are dropped, and events are sent:"
      action={places[from].action}
      cancelText="Leave it"
      confirmed={{ ...replay, run: () => replay.run(from) }}
      onClose={onClose}
    >
      <fieldset className="choices">
        <legend className="unseen">From where</legend>
        {(Object.keys(places) as (keyof typeof places)[]).map((place) => (
          <label key={place} className="choice">
            <input type="radio" name="place" checked={from === place} onChange={() => setFrom(place)} />
            <span>
              {places[place].title}
              <small>{places[place].meaning}</small>
            </span>
          </label>
        ))}
      </fieldset>
    </Confirmation>
  );
}

const places = {
  beginning: {
    title: "From the beginning",
    meaning: "Everything that is still in the log is sent again, with the same ids.",
    action: "Send everything again",
    done: "Everything that is still in the log is sent again.",
  },
  end: {
    title: "From the end",
    meaning: "Events so far that were not delivered are skipped for good.",
    action: "Skip to the end",
    done: "Events so far are skipped.",
  },
} as const;
