import { useQuery } from "@tanstack/react-query";
import { type CreatedWebhook, NotFoundError, type Webhook } from "../../client/index.ts";
import { names } from "../api/queries.ts";
import { integerIn } from "../api/rules.ts";
import { Ago, useNow } from "../parts/ago.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Time } from "../parts/listing.tsx";
import { Failure, Loading } from "../parts/notices.tsx";
import { useStore } from "../session/session.tsx";
import { Deliveries } from "./deliveries.tsx";
import { EventTypes } from "./event-types.tsx";
import { watchMs } from "./watching.ts";
import { WebhookActions } from "./webhook-actions.tsx";
import { WebhookState, WhyItIs } from "./webhook-state.tsx";

/** One webhook: how it is, what can be done with it, and what became of the latest deliveries. */
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
    refetchInterval: ({ state }) => (state.error instanceof NotFoundError ? false : watchMs),
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
  return (
    <dl className="facts">
      <div>
        <dt>Sends to</dt>
        <dd>
          <bdi>{url}</bdi>
        </dd>
      </div>
      {description !== null && (
        <div>
          <dt>Is for</dt>
          <dd>
            <bdi>{description}</bdi>
          </dd>
        </div>
      )}
      <div>
        <dt>Events</dt>
        <dd>
          <EventTypes types={types} />
        </dd>
      </div>
      <div>
        <dt>Added</dt>
        <dd>
          <Ago at={createdAt} />
        </dd>
      </div>
      {oldSecretExpiresAt !== null && oldSecretExpiresAt > updatedAt && Date.parse(oldSecretExpiresAt) > now && (
        <div>
          <dt>Old secret</dt>
          <dd>
            works until <Time at={oldSecretExpiresAt} />
          </dd>
        </div>
      )}
    </dl>
  );
}
