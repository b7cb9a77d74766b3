/** A value that the SQLite store returns synchronously, and the PostgreSQL store as a promise. */
export type Awaitable<T> = T | Promise<T>;

/** Calls `next` synchronously if possible: a promise costs more than a short piece of work. */
export function mapAwaitable<Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
