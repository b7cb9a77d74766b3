import { HttpError } from "../reply/errors.ts";

/** What counts requests, and has counted one too many. */
export const throttleKinds = [
  "quota",
  "anonymous",
  "wrong_keys",
  "idempotency",
  "streams",
  "exports",
  "bodies",
] as const;
export type ThrottleKind = (typeof throttleKinds)[number];

/** TooManyRequests, and the limit that it comes from. */
export class Throttled extends HttpError {
  constructor(
    readonly kind: ThrottleKind,
    message: string,
    waitSeconds: number,
  ) {
    super("TooManyRequests", message, { "Retry-After": String(waitSeconds) });
  }
}
