/** What one store has at once and another only after a round trip. */
export type Awaitable<T> = T | Promise<T>;
