import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { CreatedWebhook, Webhook, WebhookDelivery } from "../../client/index.ts";
import { useAction } from "../api/action.ts";
import { names } from "../api/queries.ts";
import { useSubmission } from "../api/submission.ts";
import { ActionConfirmation } from "../parts/dialog.tsx";
import { Failure } from "../parts/notices.tsx";
import { useIsThere } from "../parts/there.ts";
import { useTell } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";
import { ChangeWebhook } from "./change-webhook.tsx";
import { ReplayEvents } from "./replay-events.tsx";
import { RotateSecret } from "./rotate-secret.tsx";

/** What can be done with a webhook, and what came of it. */
export function WebhookActions({
  webhook,
  onRotated,
  onDeleted,
}: {
  webhook: Webhook;
  onRotated: (webhook: CreatedWebhook) => void;
  onDeleted: () => void;
}) {
  const { id, url, status } = webhook;
  const store = useStore();
  const tell = useTell();
  const queries = useQueryClient();
  const submission = useSubmission();
  const isThere = useIsThere();
  const [asked, setAsked] = useState<"change" | "rotate" | "replay" | "delete">();
  const [news, setNews] = useState<News>();
  const readAgain = () => queries.invalidateQueries({ queryKey: names.webhooks });
  const test = useAction({
    mutationFn: async () => await store.webhooks.test(id, submission.of("test")),
    onMutate: () => setNews(undefined),
    onSuccess: (delivery) => setNews(outcomeOf(delivery)),
    onSettled(_, error) {
      submission.settle("test", error);
      return readAgain();
    },
  });
  const change = useAction({
    mutationFn: async (to: Webhook["status"]) => await store.webhooks.update(id, { status: to }),
    onMutate: () => setNews(undefined),
    onSettled: readAgain,
  });
  const remove = useAction({
    mutationFn: async () => await store.webhooks.delete(id),
    onSuccess() {
      tell({ text: `Webhook ${id} is deleted.` });
      if (isThere()) onDeleted();
      queries.invalidateQueries({ queryKey: [...names.webhooks, "list"] });
    },
  });
  const close = () => setAsked(undefined);
  return (
    <>
      <div className="actions">
        <button type="button" disabled={test.isPending} onClick={() => test.run()}>
          {test.isPending ? "Sending a test" : "Send a test"}
        </button>
        <button
          type="button"
          disabled={change.isPending}
          onClick={() => change.run(status === "enabled" ? "disabled" : "enabled")}
        >
          {status === "enabled" ? "Disable" : "Enable"}
        </button>
        <button type="button" onClick={() => setAsked("change")}>
          Change
        </button>
        <button type="button" onClick={() => setAsked("rotate")}>
          Rotate the secret
        </button>
        <button type="button" onClick={() => setAsked("replay")}>
          Replay
        </button>
        <button type="button" className="danger quiet" onClick={() => setAsked("delete")}>
          Delete
        </button>
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
        <ActionConfirmation
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
