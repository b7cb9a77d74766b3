import { AnimalStoreError, ApiError } from "../../client/index.ts";

/** Whoever asked was signed out before the answer came. */
export class SessionEnded extends AnimalStoreError {
  /** Whether it was sent, so that the store may have done what was asked. */
  readonly wasSent: boolean;

  constructor(wasSent: boolean) {
    super("The session has ended.");
    this.wasSent = wasSent;
  }
}

/** Whether no response came back, of the store or of anything before it. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof AnimalStoreError && !(error instanceof ApiError) && !(error instanceof SessionEnded);
}

/** Whether no answer of the store came back. */
export function isUnreachable(error: unknown): boolean {
  return isUnanswered(error) || (error instanceof ApiError && error.code === "Unknown");
}

/** Messages by the field of the body that they are about. They stand beside it, and need not name it as programs do. */
export function fieldsOf(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.fields.map(({ pointer, message }) => {
      const field = pointer.replace(/^#\//, "");
      return [field, message.startsWith(`${field} `) ? `It ${message.slice(field.length + 1)}` : message];
    }),
  );
}

/** What went wrong and what to do about it, in a sentence or two. */
export function adviceFor(error: unknown): string {
  if (!(error instanceof AnimalStoreError)) {
    return error instanceof Complaint ? error.message : "Something went wrong on this page. Reload it, and try again.";
  }
  if (error instanceof SessionEnded) return "You were signed out before this was done.";
  if (!(error instanceof ApiError)) {
    return "The store cannot be reached. Check that it is running and that you are connected; nothing you typed is lost.";
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

/** What this page itself refuses to do, in words for people. */
export class Complaint extends Error {}
