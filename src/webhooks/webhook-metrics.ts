import { durationBounds, type Histogram, type Labelled, type Registry } from "../metrics/registry.ts";
import type { EventStore } from "../store/store.ts";
import type { Attempt } from "./sender.ts";

export class WebhookMetrics {
  readonly #durations: Labelled<Histogram>;

  constructor(
    metrics: Registry,
    events: EventStore,
    workers: () => readonly { readonly parkedCount: number; readonly position: number }[],
  ) {
    this.#durations = metrics.histogram(
      "webhook_delivery_duration_seconds",
      "Duration of attempts to deliver an event to a webhook, by outcome.",
      durationBounds,
      ["outcome"],
    );
    // Each series exists from the start, so that Prometheus sees its first delivery as an increase.
    for (const outcome of outcomes) this.#durations.with(outcome);
    metrics.watch("gauge", "webhook_parked_events", "Events that wait to be sent to a webhook again.", () =>
      workers().reduce((sum, { parkedCount }) => sum + parkedCount, 0),
    );
    let newest = 0;
    metrics.onScrape(async () => {
      if (workers().length > 0) newest = (await events.ends())?.newest.position ?? newest;
    });
    metrics.watch(
      "gauge",
      "webhook_lag_events",
      "How far the webhook that is furthest behind is from the end of the log.",
      () => Math.max(0, ...workers().map(({ position }) => newest - position)),
    );
  }

  countAttempt({ isDelivered, status, durationMs }: Attempt): void {
    const outcome: (typeof outcomes)[number] = isDelivered ? "delivered" : status === null ? "unreachable" : "refused";
    this.#durations.with(outcome).observe(durationMs / 1000);
  }
}

const outcomes = ["delivered", "refused", "unreachable"] as const;
