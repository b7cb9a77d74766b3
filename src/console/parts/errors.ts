import { AnimalStoreError, ApiError } from "../../../packages/client/src/index.ts";

export class SessionEnded extends AnimalStoreError {
  /** True if the request was sent and the store may have executed the request. */
  readonly wasSent: boolean;

  constructor(wasSent: boolean) {
    super("The session has ended.");
    this.wasSent = wasSent;
  }
}

/** True if the response did not come from the store: either no response arrived, or a proxy responded. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === "Unknown";
  return error instanceof AnimalStoreError && !(error instanceof SessionEnded);
}

/** Returns error messages by field. Removes the field names from the messages, because the form shows them as labels. */
export function collectFieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.fields.map(({ pointer, message }) => {
      const field = pointer.split("/")[1] ?? pointer;
      return [field, message.startsWith(`${field} `) ? `It ${message.slice(field.length + 1)}` : message];
    }),
  );
}

/** Returns the message for users about an error. Says that the store cannot be reached only if `isStoreUnreachable` is true. */
export function describeError(error: unknown, isStoreUnreachable = true): string {
  if (error instanceof Complaint) return error.message;
  if (error instanceof SessionEnded) return "You were signed out before this was done.";
  if (!(error instanceof AnimalStoreError)) {
    return "Something went wrong on this page. Reload it, and try again.";
  }
  if (!(error instanceof ApiError)) {
    return isStoreUnreachable
      ? "The store cannot be reached. Check that it is running and that you are connected; nothing you typed is lost."
      : "The store did not respond. Nothing you typed is lost; try again.";
  }
  switch (error.code) {
    case "Unknown":
      return `Something between this page and the store returned ${error.status}. Nothing you typed is lost; try again.`;
    case "Forbidden":
      return `${error.message} Sign in with another key, or ask an admin for one.`;
    case "TooManyRequests":
      return `${error.message} Wait a moment, then try again.`;
    default:
      return error.message;
  }
}

/** An error that the console itself detects, with a message for users. */
export class Complaint extends Error {}
