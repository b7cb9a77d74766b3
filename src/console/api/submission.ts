import { useRef } from "react";
import { ApiError } from "./api.ts";

/**
 * Names what is sent, so that a double click, or another try after the connection was lost, does not do it twice. The same
 * content has the same name until the store has said what came of it.
 */
export class Submission {
  readonly #names = new Map<string, string>();

  nameFor(content: unknown): string {
    const text = textOf(content);
    const name = this.#names.get(text) ?? randomName();
    this.#names.set(text, name);
    return name;
  }

  /** After a success, and after a refusal, the same content is something new. After anything else, it may have arrived. */
  settle(content: unknown, error: unknown): void {
    if (!error) this.#names.clear();
    else if (ApiError.isRefusal(error)) this.#names.delete(textOf(content));
  }
}

export function useSubmission(): Submission {
  const submission = useRef<Submission>(undefined);
  submission.current ??= new Submission();
  return submission.current;
}

function textOf(content: unknown): string {
  return JSON.stringify(content, (_, value) => (typeof value === "bigint" ? value.toString() : value));
}

/** Not `randomUUID`, which browsers have only on https and on this machine itself. */
function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
