/** What one store has at once and another only after a round trip. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on as soon as the value is there: at once if it is, because a promise costs more than a short piece of work. */
export function mapAwaitable<Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
