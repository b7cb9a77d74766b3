import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Webhook, WebhookDelivery } from "../../client/index.ts";
import type { Thing } from "../activity/happening.ts";
import { ThingLink } from "../activity/sentence.tsx";
import { useAction } from "../api/action.ts";
import { names } from "../api/queries.ts";
import { integerIn } from "../api/rules.ts";
import { longestPage } from "../api/store.ts";
import { useAnimalNames } from "../orders/animal-names.ts";
import { Ago, useNow } from "../parts/ago.tsx";
import { Button } from "../parts/button.tsx";
import { Time } from "../parts/listing.tsx";
import { Failure } from "../parts/notices.tsx";
import { Unread } from "../parts/unread.tsx";
import { useStore } from "../session/session.tsx";

/** Interval of reading deliveries again: the event log does not report them. */
export const pollMs = 3_000;

export function Deliveries({ webhook: { id, status } }: { webhook: Webhook }) {
  const store = useStore();
  const deliveries = useQuery({
    queryKey: [...names.webhooks, "deliveries", id],
    refetchInterval: pollMs,
    queryFn: async () => await store.webhooks.deliveries(id, { limit: longestPage }),
  });
  const all = deliveries.data ?? [];
  const animals = useAnimalNames(
    all.flatMap(({ subject }) => thingOf(subject) ?? []).flatMap(({ kind, id }) => (kind === "animal" ? id : [])),
  );
  const newest = new Map(all.toReversed().map((delivery) => [delivery.eventId, delivery.id]));
  return (
    <section className="history deliveries" aria-label="Deliveries">
      <h3>Deliveries</h3>
      {deliveries.isPending && <p className="hint">Loading</p>}
      <Unread error={deliveries.data ? undefined : deliveries.error} onRetry={() => deliveries.refetch()} />
      {deliveries.isSuccess && all.length === 0 && <p className="hint">Nothing has been sent yet.</p>}
      <ol>
        {all.map((delivery) => (
          <DeliveryEntry
            key={delivery.id}
            delivery={delivery}
            webhook={id}
            isSending={status === "enabled"}
            isNewest={newest.get(delivery.eventId) === delivery.id}
            animals={animals}
          />
        ))}
      </ol>
      {all.length === longestPage && <p className="hint">Older ones are no longer kept.</p>}
    </section>
  );
}

function DeliveryEntry({
  delivery,
  webhook,
  isSending,
  isNewest,
  animals,
}: {
  delivery: WebhookDelivery;
  webhook: number;
  /** True if the webhook is enabled. */
  isSending: boolean;
  /** True if it is the latest attempt for its event. */
  isNewest: boolean;
  animals: ReadonlyMap<string, string>;
}) {
  const store = useStore();
  const queries = useQueryClient();
  const retry = useAction<WebhookDelivery>({
    mutationFn: async (_, options) => await store.webhooks.retryDelivery(webhook, delivery.id, options),
    onSettled: () => queries.invalidateQueries({ queryKey: names.webhooks }),
  });
  const { id, type, subject, attempt, at, outcome, responseStatus, error, durationMs, nextAttemptAt } = delivery;
  const thing = thingOf(subject);
  const isTest = type === "webhook.test";
  return (
    <li className={outcome}>
      <p className="sentence">
        <span className="type">{type}</span>{" "}
        {!isTest && thing && <ThingLink thing={{ ...thing, name: animals.get(String(thing.id)) }} />}
      </p>
      <Ago at={at} />
      <p className="what-came">
        <span className={`state ${outcome}`}>{outcome}</span>{" "}
        {error === null && responseStatus !== null && `${responseStatus}, `}
        attempt {attempt}
        {durationMs !== null && `, ${durationMs} ms`}
      </p>
      {isNewest && isSending && outcome === "failed" && !isTest && (
        <Button disabled={retry.isPending} aria-label={`Retry delivery ${id}`} onClick={() => retry.run()}>
          Retry
        </Button>
      )}
      {error !== null && <p className="hint">{error}</p>}
      {isNewest && nextAttemptAt !== null && <NextAttempt at={nextAttemptAt} isSending={isSending} />}
      <Failure error={retry.error} />
    </li>
  );
}

function NextAttempt({ at, isSending }: { at: string; isSending: boolean }) {
  const now = useNow();
  if (!isSending) return <p className="hint">It is retried once the webhook is enabled.</p>;
  if (Date.parse(at) <= now) return <p className="hint">It is about to be retried.</p>;
  return (
    <p className="hint">
      Next attempt: <Time at={at} />
    </p>
  );
}

/** Returns the subject of an event, if the console shows it. */
function thingOf(subject: string): Thing | undefined {
  const [noun = "", number = ""] = subject.split("/");
  const kind = kinds[noun];
  const id = integerIn(number);
  return kind && id !== undefined ? { kind, id } : undefined;
}

const kinds: Readonly<Record<string, Thing["kind"]>> = {
  pets: "animal",
  orders: "order",
  categories: "category",
  keys: "key",
  webhooks: "webhook",
};
