import { type ServiceError, Throttled, type ThrottleKind, throttleKinds } from "../../domain/errors.ts";
import { type Counter, durationBounds, type Histogram, type Labelled, type Registry } from "../../metrics/registry.ts";
import type { ErrorCode } from "../../operations/errors.ts";
import type { Exchange } from "../exchange.ts";

/** Counts every answer by the operation that it is of. What was sent never becomes a label, so that there are few of them. */
export class RequestMetrics {
  readonly #groups = new Map<string, Group>();
  readonly #requests: Labelled<Counter>;
  readonly #durations: Labelled<Histogram>;
  readonly #received: Labelled<Counter>;
  readonly #sent: Labelled<Counter>;
  readonly #refused: ReadonlyMap<string, Counter>;
  readonly #throttled: Readonly<Record<ThrottleKind, Counter>>;

  constructor(metrics: Registry) {
    const byOperation = ["operation"];
    this.#requests = metrics.counter("requests_total", "Requests that were answered.", ["operation", "status"]);
    this.#durations = metrics.histogram(
      "request_duration_seconds",
      "From the end of a request's headers to its answer.",
      durationBounds,
      byOperation,
    );
    this.#received = metrics.counter("request_bytes_total", "Bytes of bodies that were read.", byOperation);
    this.#sent = metrics.counter("response_bytes_total", "Bytes of bodies that were sent.", byOperation);
    const refused = metrics.counter("refused_total", "Requests that were refused, whatever they asked for.", ["code"]);
    this.#refused = new Map(refusals.map((code) => [code, refused.with(code)]));
    const throttled = metrics.counter("throttled_total", "Requests that were one too many, by what counts them.", [
      "kind",
    ]);
    const kinds = throttleKinds.map((kind) => [kind, throttled.with(kind)]);
    this.#throttled = Object.fromEntries(kinds) as Record<ThrottleKind, Counter>;
  }

  record(
    exchange: Exchange,
    status: number,
    sentBytes: number,
    elapsedMs: number,
    failure: ServiceError<ErrorCode> | undefined,
  ): void {
    const group = this.#groupOf(exchange.operation?.id ?? exchange.group);
    group.count(status);
    group.duration.observe(elapsedMs / 1000);
    group.received.add(exchange.bodyBytes);
    group.sent.add(sentBytes);
    if (failure) this.#recordFailure(failure);
  }

  #recordFailure(failure: ServiceError<ErrorCode>): void {
    this.#refused.get(failure.code)?.add();
    if (failure.code !== "TooManyRequests") return;
    this.#throttled[failure instanceof Throttled ? failure.kind : "idempotency"].add();
  }

  #groupOf(name: string): Group {
    let group = this.#groups.get(name);
    if (!group) {
      group = new Group(this.#durations.with(name), this.#received.with(name), this.#sent.with(name), (status) =>
        this.#requests.with(name, String(status)),
      );
      this.#groups.set(name, group);
    }
    return group;
  }
}

/** Callers that are unknown or not allowed, and whatever the service cannot do now. */
const refusals: readonly ErrorCode[] = ["Unauthorized", "Forbidden", "ServiceUnavailable"];

/** What is counted of one operation. */
class Group {
  readonly #statuses = new Map<number, Counter>();

  constructor(
    readonly duration: Histogram,
    readonly received: Counter,
    readonly sent: Counter,
    readonly countOf: (status: number) => Counter,
  ) {}

  count(status: number): void {
    let count = this.#statuses.get(status);
    if (!count) {
      count = this.countOf(status);
      this.#statuses.set(status, count);
    }
    count.add();
  }
}
