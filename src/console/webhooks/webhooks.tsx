import { useState } from "react";
import type { CreatedWebhook, Webhook } from "../../../packages/client/src/index.ts";
import { queryKeys } from "../api/queries.ts";
import { maxPageSize } from "../api/store.ts";
import { changeParameters, Link, useAddress, useDialogAddress } from "../parts/address.tsx";
import { Ago } from "../parts/ago.tsx";
import { Button } from "../parts/controls.tsx";
import { Listing, More, Time, usePages } from "../parts/listing.tsx";
import { type Secret, useShowSecret } from "../parts/secret-dialog.tsx";
import { Empty, Heading, QueryStatus } from "../parts/view.tsx";
import { AdminsOnly } from "../session/permission.tsx";
import { useStore } from "../session/session.tsx";
import { formatTypes, pollMs, WebhookDialog, WebhookState, WebhookStateReason } from "./webhook.tsx";
import { AddWebhook } from "./webhook-form.tsx";

export function Webhooks() {
  return (
    <AdminsOnly view="webhooks" title="Webhooks">
      {() => <WebhookList />}
    </AdminsOnly>
  );
}

function WebhookList() {
  const store = useStore();
  const { webhook: opened } = useAddress().parameters;
  const webhooks = usePages(
    [...queryKeys.webhooks, "list"],
    (cursor) => store.webhooks.list({ limit: maxPageSize, cursor }).page(),
    pollMs,
  );
  const [isAdding, setAdding] = useState(false);
  const showSecret = useShowSecret();
  const onSecret = (webhook: CreatedWebhook) => showSecret(toSecret(webhook));
  const close = () => changeParameters({ webhook: undefined });
  return (
    <>
      <Heading title="Webhooks">
        <Button className="primary" onClick={() => setAdding(true)} icon="plus">
          Add a webhook
        </Button>
      </Heading>
      <QueryStatus query={webhooks} what="webhooks" />
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
      {opened !== undefined && <WebhookDialog key={opened} id={opened} onRotated={onSecret} onClose={close} />}
      {isAdding && <AddWebhook onAdded={onSecret} onClose={() => setAdding(false)} />}
    </>
  );
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const dialogAddress = useDialogAddress();
  return (
    <tr className={webhook.status === "disabled" ? "ended" : undefined}>
      <td className="number minor">{webhook.id}</td>
      <td>
        <Link className="quiet-link strong" to={dialogAddress({ webhook: webhook.id })}>
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
        <WebhookStateReason webhook={webhook} />
      </td>
      <td className="minor events">{formatTypes(webhook.types)}</td>
      <td className="minor">
        <Ago at={webhook.createdAt} />
      </td>
    </tr>
  );
}

function toSecret({ id, url, secret, oldSecretExpiresAt, updatedAt }: CreatedWebhook): Secret {
  const isRotated = oldSecretExpiresAt !== null;
  // Both times are by the store's clock, since that of this device may be wrong.
  const isOldSecretValid = isRotated && oldSecretExpiresAt > updatedAt;
  return {
    title: `Secret of webhook ${id}`,
    label: "The secret",
    secret,
    text: (
      <>
        Events to <bdi>{url}</bdi> are signed with this secret. It is shown only this once: give it to the receiver.
        {isRotated && !isOldSecretValid && " The old one no longer works."}
        {isOldSecretValid && (
          <>
            {" "}
            The old one works until <Time at={oldSecretExpiresAt} />.
          </>
        )}
      </>
    ),
  };
}
