import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type CreatedWebhook, NotFoundError, type Webhook } from "../../client/index.ts";
import { names } from "../api/queries.ts";
import { integerIn } from "../api/rules.ts";
import { Ago, useNow } from "../parts/ago.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Time } from "../parts/listing.tsx";
import { Failure, Loading } from "../parts/notices.tsx";
import { useStore } from "../session/session.tsx";
import { Deliveries, pollMs } from "./deliveries.tsx";
import { WebhookActions } from "./webhook-actions.tsx";

export function WebhookDialog({
  id,
  onRotated,
  onClose,
}: {
  id: string;
  onRotated: (webhook: CreatedWebhook) => void;
  onClose: () => void;
}) {
  const store = useStore();
  const number = integerIn(id);
  const webhook = useQuery({
    queryKey: [...names.webhooks, "one", id],
    enabled: number !== undefined,
    refetchInterval: ({ state }) => (state.error instanceof NotFoundError ? false : pollMs),
    queryFn: async () => await store.webhooks.get(number ?? 0),
  });
  const isMissing = number === undefined || webhook.error instanceof NotFoundError;
  const data = isMissing ? undefined : webhook.data;
  return (
    <Dialog title={`Webhook ${id}`} aside={data && <WebhookState webhook={data} />} kind="side" onClose={onClose}>
      {isMissing && <p>No webhook has the number {id}.</p>}
      {!isMissing && webhook.isPending && <Loading what="the webhook" />}
      {!isMissing && !data && <Failure error={webhook.error} onRetry={() => webhook.refetch()} />}
      {data && (
        <>
          <WhyItIs webhook={data} />
          <Facts webhook={data} />
          <WebhookActions webhook={data} onRotated={onRotated} onDeleted={onClose} />
          <Deliveries webhook={data} />
        </>
      )}
    </Dialog>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  const now = useNow();
  const { url, description, types, createdAt, updatedAt, oldSecretExpiresAt } = webhook;
  const isOldSecretValid =
    oldSecretExpiresAt !== null && oldSecretExpiresAt > updatedAt && Date.parse(oldSecretExpiresAt) > now;
  const facts: readonly (readonly [title: string, fact: ReactNode] | false)[] = [
    ["Sends to", <bdi key="url">{url}</bdi>],
    description !== null && ["Is for", <bdi key="description">{description}</bdi>],
    ["Events", textOfTypes(types)],
    ["Added", <Ago key="added" at={createdAt} />],
    isOldSecretValid && ["Old secret", <OldSecretEnd key="old" at={oldSecretExpiresAt} />],
  ];
  return (
    <dl className="facts">
      {facts
        .filter((each) => each !== false)
        .map(([title, fact]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
    </dl>
  );
}

function OldSecretEnd({ at }: { at: string }) {
  return (
    <>
      works until <Time at={at} />
    </>
  );
}

export function textOfTypes(types: readonly string[]): string {
  return types.join(", ") || "all";
}

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const state = isFailing(webhook) ? "failing" : webhook.status;
  return <span className={`state ${state}`}>{state}</span>;
}

/** Why the webhook is disabled, or since when it has been failing. */
export function WhyItIs({ webhook }: { webhook: Webhook }) {
  if (webhook.disabledReason !== null) return <div className="hint">{reasons[webhook.disabledReason]}</div>;
  if (!isFailing(webhook) || webhook.failingSince === null) return null;
  return (
    <div className="hint">
      Every attempt has failed since <Time at={webhook.failingSince} />
    </div>
  );
}

function isFailing({ status, failingSince }: Webhook): boolean {
  return status === "enabled" && failingSince !== null;
}

const reasons: Readonly<Record<NonNullable<Webhook["disabledReason"]>, string>> = {
  request: "Somebody disabled it",
  gone: "The receiver answered 410 (Gone)",
  failures: "Every attempt failed for 5 days",
  retention: "Events that were not delivered to it are no longer kept: replay, then enable it",
  history: "The history of the store has changed: replay, then enable it",
};
