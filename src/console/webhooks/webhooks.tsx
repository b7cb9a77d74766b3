import { useState } from "react";
import type { CreatedWebhook, Webhook } from "../../client/index.ts";
import { names } from "../api/queries.ts";
import { longestPage } from "../api/store.ts";
import { changeParameters, useAddress } from "../parts/address.ts";
import { Ago } from "../parts/ago.tsx";
import { Heading } from "../parts/heading.tsx";
import { Icon } from "../parts/icons.tsx";
import { Link } from "../parts/link.tsx";
import { Listing } from "../parts/listing.tsx";
import { More, usePages } from "../parts/more.tsx";
import { Empty, Loading } from "../parts/notices.tsx";
import { useOpening } from "../parts/opening.ts";
import { useShowOnce } from "../parts/shown-once.tsx";
import { Unread } from "../parts/unread.tsx";
import { AdminsOnly } from "../session/permission.tsx";
import { useStore } from "../session/session.tsx";
import { AddWebhook } from "./add-webhook.tsx";
import { EventTypes } from "./event-types.tsx";
import { secretOfWebhook } from "./secret-of-webhook.tsx";
import { watchMs } from "./watching.ts";
import { WebhookDialog } from "./webhook.tsx";
import { WebhookState, WhyItIs } from "./webhook-state.tsx";

/** Where the store sends its events to: for admins. */
export function Webhooks() {
  return (
    <AdminsOnly view="webhooks" title="Webhooks">
      {() => <WebhookList />}
    </AdminsOnly>
  );
}

function WebhookList() {
  const store = useStore();
  const { parameters } = useAddress();
  const webhooks = usePages(
    [...names.webhooks, "list"],
    (cursor) => store.webhooks.list({ limit: longestPage, cursor }).page(),
    watchMs,
  );
  const [isAdding, setAdding] = useState(false);
  const showOnce = useShowOnce();
  const onMade = (made: CreatedWebhook) => showOnce(secretOfWebhook(made));
  const opened = parameters["webhook"];
  return (
    <>
      <Heading title="Webhooks">
        <button type="button" className="primary" onClick={() => setAdding(true)}>
          <Icon name="plus" size={16} />
          Add a webhook
        </button>
      </Heading>
      {webhooks.isPending && <Loading what="webhooks" />}
      <Unread error={webhooks.error} isStale={webhooks.data !== undefined} onRetry={() => webhooks.refetch()} />
      {webhooks.isSuccess && webhooks.items.length === 0 && (
        <Empty title="No webhooks yet" icon="webhooks">
          <p>Add the URL of your program, and the store sends it events as they happen.</p>
        </Empty>
      )}
      {webhooks.items.length > 0 && (
        <Listing
          caption="Webhooks, the oldest first"
          columns={[["Number", "minor"], ["Sends to", "long"], ["Status"], ["Events", "minor"], ["Added", "minor"]]}
          hasActions={false}
        >
          {webhooks.items.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} />
          ))}
        </Listing>
      )}
      <More pages={webhooks} />
      {opened !== undefined && (
        <WebhookDialog
          key={opened}
          id={opened}
          onRotated={onMade}
          onClose={() => changeParameters({ webhook: undefined })}
        />
      )}
      {isAdding && <AddWebhook onAdded={onMade} onClose={() => setAdding(false)} />}
    </>
  );
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const opening = useOpening();
  return (
    <tr className={webhook.status === "disabled" ? "ended" : undefined}>
      <td className="number minor">{webhook.id}</td>
      <td>
        <Link className="quiet-link strong" to={opening({ webhook: webhook.id })}>
          <bdi>{webhook.url}</bdi>
        </Link>
        {webhook.description !== null && (
          <div className="hint">
            <bdi>{webhook.description}</bdi>
          </div>
        )}
      </td>
      <td className="standing">
        <WebhookState webhook={webhook} />
        <WhyItIs webhook={webhook} />
      </td>
      <td className="minor events">
        <EventTypes types={webhook.types} />
      </td>
      <td className="minor">
        <Ago at={webhook.createdAt} />
      </td>
    </tr>
  );
}
