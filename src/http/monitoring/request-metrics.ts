import { type ServiceError, Throttled, type ThrottleKind, throttleKinds } from "../../domain/errors.ts";
import { type Counter, durationBounds, type Histogram, type Labelled, type Registry } from "../../metrics/registry.ts";
import type { ErrorCode } from "../../operations/errors.ts";
import type { Exchange } from "../exchange.ts";

/** Counts responses by operation. Labels never contain input from clients, so their number is bounded. */
export class RequestMetrics {
  readonly #byOperation = new Map<string, OperationMetrics>();
  readonly #requests: Labelled<Counter>;
  readonly #createMetrics: (operation: string) => OperationMetrics;
  readonly #refusalCounters: ReadonlyMap<string, Counter>;
  readonly #throttledCounters: ReadonlyMap<ThrottleKind, Counter>;

  constructor(metrics: Registry) {
    const operationLabels = ["operation"];
    this.#requests = metrics.counter("requests_total", "Requests that were answered.", ["operation", "status"]);
    const durations = metrics.histogram(
      "request_duration_seconds",
      "From the end of a request's headers to its answer.",
      durationBounds,
      operationLabels,
    );
    const receivedBytes = metrics.counter("request_bytes_total", "Bytes of bodies that were read.", operationLabels);
    const sentBytes = metrics.counter("response_bytes_total", "Bytes of bodies that were sent.", operationLabels);
    this.#createMetrics = (operation) => ({
      byStatus: new Map<number, Counter>(),
      duration: durations.with(operation),
      receivedBytes: receivedBytes.with(operation),
      sentBytes: sentBytes.with(operation),
    });
    const refusals = metrics.counter("refused_total", "Requests that were refused, whatever they asked for.", ["code"]);
    this.#refusalCounters = new Map(refusalCodes.map((code) => [code, refusals.with(code)]));
    const throttled = metrics.counter("throttled_total", "Requests beyond a limit, by the kind of limit.", ["kind"]);
    this.#throttledCounters = new Map(throttleKinds.map((kind) => [kind, throttled.with(kind)]));
  }

  record(
    exchange: Exchange,
    status: number,
    sentBytes: number,
    elapsedMs: number,
    failure: ServiceError<ErrorCode> | undefined,
  ): void {
    const name = exchange.operation?.id ?? exchange.group;
    const operationMetrics = this.#byOperation.getOrInsertComputed(name, this.#createMetrics);
    let counter = operationMetrics.byStatus.get(status);
    if (!counter) {
      counter = this.#requests.with(name, String(status));
      operationMetrics.byStatus.set(status, counter);
    }
    counter.add();
    operationMetrics.duration.observe(elapsedMs / 1000);
    operationMetrics.receivedBytes.add(exchange.bodyBytes);
    operationMetrics.sentBytes.add(sentBytes);
    if (failure) this.#recordFailure(failure);
  }

  #recordFailure(failure: ServiceError<ErrorCode>): void {
    this.#refusalCounters.get(failure.code)?.add();
    if (failure.code !== "TooManyRequests") return;
    this.#throttledCounters.get(failure instanceof Throttled ? failure.kind : "idempotency")?.add();
  }
}

const refusalCodes: readonly ErrorCode[] = ["Unauthorized", "Forbidden", "ServiceUnavailable"];

/** The metrics of one operation, kept because looking them up by label for each request would be slower. */
interface OperationMetrics {
  readonly byStatus: Map<number, Counter>;
  readonly duration: Histogram;
  readonly receivedBytes: Counter;
  readonly sentBytes: Counter;
}
