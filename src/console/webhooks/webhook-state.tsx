import type { Webhook } from "../../client/index.ts";
import { Time } from "../parts/listing.tsx";

/** Whether events are sent, and arrive. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const state = isFailing(webhook) ? "failing" : webhook.status;
  return <span className={`state ${state}`}>{state}</span>;
}

/** Why it is disabled, or since when it has been failing; nothing if all is well. */
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
