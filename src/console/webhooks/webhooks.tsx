import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { NotFoundError, type Webhook, type WebhookDelivery } from "../../../packages/client/src/index.ts";
import type { Resource } from "../activity/activity-items.ts";
import { ResourceLink } from "../activity/timeline.tsx";
import { useAction } from "../api/action.ts";
import { queryKeys, useAnimalNames, useTools } from "../api/queries.ts";
import { parseInteger } from "../api/rules.ts";
import { maxPageSize } from "../api/store.ts";
import { changeParameters, Link, useAddress, useDialogUrl } from "../parts/address.tsx";
import { Ago, useNow } from "../parts/ago.tsx";
import { Button } from "../parts/controls.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Listing, NextPageButton, Time, usePages } from "../parts/listing.tsx";
import { Empty, Failure, Heading, QueryStatus } from "../parts/view.tsx";
import { useStore } from "../session/session.tsx";
import { WebhookActions } from "./webhook-actions.tsx";
import { WebhookForm } from "./webhook-form.tsx";

export function Webhooks() {
  const store = useStore();
  const { webhook: openedId } = useAddress().parameters;
  const webhooks = usePages(
    [...queryKeys.webhooks, "list"],
    (cursor) => store.webhooks.list({ limit: maxPageSize, cursor }).page(),
    pollMs,
  );
  const [isAdding, setAdding] = useState(false);
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
          caption="Webhooks, oldest first"
          columns={[["Number", "minor"], ["Sends to", "long"], ["Status"], ["Events", "minor"], ["Added", "minor"]]}
          hasActions={false}
        >
          {webhooks.items.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} />
          ))}
        </Listing>
      )}
      <NextPageButton pages={webhooks} />
      {openedId !== undefined && <WebhookDialog key={openedId} id={openedId} />}
      {isAdding && <WebhookForm onClose={() => setAdding(false)} />}
    </>
  );
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const toDialogUrl = useDialogUrl();
  return (
    <tr className={webhook.status === "disabled" ? "ended" : undefined}>
      <td className="number minor">{webhook.id}</td>
      <td>
        <Link className="quiet-link strong" to={toDialogUrl({ webhook: webhook.id })}>
          <bdi>{webhook.url}</bdi>
        </Link>
        {webhook.description !== null && (
          <div className="hint">
            <bdi>{webhook.description}</bdi>
          </div>
        )}
      </td>
      <td className="state-cell">
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

function WebhookDialog({ id }: { id: string }) {
  const store = useStore();
  const number = parseInteger(id);
  const webhook = useQuery({
    queryKey: [...queryKeys.webhooks, "one", id],
    enabled: number !== undefined,
    refetchInterval: ({ state }) => (state.error instanceof NotFoundError ? false : pollMs),
    queryFn: async () => await store.webhooks.get(number ?? 0),
  });
  const isMissing = number === undefined || webhook.error instanceof NotFoundError;
  const data = isMissing ? undefined : webhook.data;
  const close = () => changeParameters({ webhook: undefined });
  return (
    <Dialog title={`Webhook ${id}`} aside={data && <WebhookState webhook={data} />} kind="side" onClose={close}>
      {isMissing ? <p>No webhook has the number {id}.</p> : <QueryStatus query={webhook} what="the webhook" isQuiet />}
      {data && (
        <>
          <WebhookStateReason webhook={data} />
          <Facts webhook={data} />
          <WebhookActions webhook={data} onDeleted={close} />
          <Deliveries webhook={data} />
        </>
      )}
    </Dialog>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  const now = useNow();
  const { url, description, types, createdAt, updatedAt, oldSecretExpiresAt: oldSecretEnd } = webhook;
  const isOldSecretValid = oldSecretEnd !== null && oldSecretEnd > updatedAt && Date.parse(oldSecretEnd) > now;
  return (
    <dl className="facts">
      <Fact title="Sends to">
        <bdi>{url}</bdi>
      </Fact>
      {description !== null && (
        <Fact title="Purpose">
          <bdi>{description}</bdi>
        </Fact>
      )}
      <Fact title="Events">{formatTypes(types)}</Fact>
      <Fact title="Added">
        <Ago at={createdAt} />
      </Fact>
      {isOldSecretValid && (
        <Fact title="Old secret">
          works until <Time at={oldSecretEnd} />
        </Fact>
      )}
    </dl>
  );
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function formatTypes(types: readonly string[]): string {
  return types.join(", ") || "all";
}

function WebhookState({ webhook }: { webhook: Webhook }) {
  const state = isFailing(webhook) ? "failing" : webhook.status;
  return <span className={`state ${state}`}>{state}</span>;
}

function WebhookStateReason({ webhook }: { webhook: Webhook }) {
  if (webhook.disabledReason !== null) return <div className="hint">{disabledReasons[webhook.disabledReason]}</div>;
  if (!isFailing(webhook)) return null;
  return (
    <div className="hint">
      Every attempt has failed since <Time at={webhook.failingSince} />
    </div>
  );
}

function isFailing({ status, failingSince }: Webhook): boolean {
  return status === "enabled" && failingSince !== null;
}

const disabledReasons: Readonly<Record<NonNullable<Webhook["disabledReason"]>, string>> = {
  request: "An admin disabled it",
  gone: "The receiver answered 410 (Gone)",
  failures: "Every attempt failed for 5 days",
  retention: "Events that were not delivered to it are no longer kept: replay, then enable it",
  history: "The history of the store has changed: replay, then enable it",
};

/** Interval of refetching webhooks and deliveries: the event log, which triggers other refetches, does not report deliveries. */
const pollMs = 3_000;

function Deliveries({ webhook }: { webhook: Webhook }) {
  const store = useStore();
  const { id } = webhook;
  const deliveries = useQuery({
    queryKey: [...queryKeys.webhooks, "deliveries", id],
    refetchInterval: pollMs,
    queryFn: async () => await store.webhooks.deliveries(id, { limit: maxPageSize }),
  });
  const all = deliveries.data ?? [];
  const resources = all.flatMap(({ subject }) => parseSubject(subject) ?? []);
  const animals = useAnimalNames(resources.filter(({ kind }) => kind === "animal").map(({ id }) => id));
  const latestAttempts = new Map(all.toReversed().map((delivery) => [delivery.eventId, delivery.id]));
  return (
    <section className="history deliveries" aria-label="Deliveries">
      <h3>Deliveries</h3>
      <QueryStatus query={deliveries} what="deliveries" isQuiet />
      {deliveries.isSuccess && all.length === 0 && <p className="hint">Nothing has been sent yet.</p>}
      <ol>
        {all.map((delivery) => (
          <DeliveryEntry
            key={delivery.id}
            delivery={delivery}
            webhook={webhook}
            isLatestAttempt={latestAttempts.get(delivery.eventId) === delivery.id}
            animals={animals}
          />
        ))}
      </ol>
      {all.length === maxPageSize && <p className="hint">Older deliveries are no longer kept.</p>}
    </section>
  );
}

interface DeliveryEntryProps {
  readonly delivery: WebhookDelivery;
  readonly webhook: Webhook;
  readonly isLatestAttempt: boolean;
  readonly animals: ReadonlyMap<string, string>;
}

function DeliveryEntry({ delivery, webhook, isLatestAttempt, animals }: DeliveryEntryProps) {
  const { store, queries } = useTools();
  const retry = useAction<WebhookDelivery>({
    mutationFn: async (_, options) => await store.webhooks.retryDelivery(webhook.id, delivery.id, options),
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.webhooks }),
  });
  const { id, type, subject, attempt, at, outcome, responseStatus, error, durationMs, nextAttemptAt } = delivery;
  const isTest = type === "webhook.test";
  const isEnabled = webhook.status === "enabled";
  const resource = isTest ? undefined : parseSubject(subject);
  return (
    <li className={outcome}>
      <p className="sentence">
        <span className="type">{type}</span>{" "}
        {resource && <ResourceLink resource={{ ...resource, name: animals.get(String(resource.id)) }} />}
      </p>
      <Ago at={at} />
      <p className="outcome">
        <span className={`state ${outcome}`}>{outcome}</span>{" "}
        {error === null && responseStatus !== null && `${responseStatus}, `}
        attempt {attempt}
        {durationMs !== null && `, ${durationMs} ms`}
      </p>
      {isLatestAttempt && isEnabled && outcome === "failed" && !isTest && (
        <Button disabled={retry.isPending} aria-label={`Retry delivery ${id}`} onClick={() => retry.run()}>
          Retry
        </Button>
      )}
      {error !== null && <p className="hint">{error}</p>}
      {isLatestAttempt && nextAttemptAt !== null && (
        <p className="hint">
          {isEnabled ? "Next attempt: " : "It is retried once the webhook is enabled."}
          {isEnabled && <Time at={nextAttemptAt} />}
        </p>
      )}
      <Failure error={retry.error} />
    </li>
  );
}

function parseSubject(subject: string): Resource | undefined {
  const [noun = "", number = ""] = subject.split("/");
  const kind = resourceKinds[noun];
  const id = parseInteger(number);
  return kind && id !== undefined ? { kind, id } : undefined;
}

const resourceKinds: Readonly<Record<string, Resource["kind"]>> = {
  pets: "animal",
  orders: "order",
  categories: "category",
  keys: "key",
  webhooks: "webhook",
};
