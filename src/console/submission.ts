import { useRef } from "react";

/**
 * Names what is sent, so that a double click, or another try after the connection was lost, does not do it twice. The same
 * content has the same name until it has succeeded.
 */
export class Submission {
  #name = randomName();
  #content: string | undefined;

  nameFor(content: unknown): string {
    const text = JSON.stringify(content, (_, value) => (typeof value === "bigint" ? value.toString() : value));
    if (this.#content !== undefined && this.#content !== text) this.#name = randomName();
    this.#content = text;
    return this.#name;
  }

  succeeded(): void {
    this.#name = randomName();
    this.#content = undefined;
  }
}

export function useSubmission(): Submission {
  const submission = useRef<Submission>(undefined);
  submission.current ??= new Submission();
  return submission.current;
}

/** Not `randomUUID`, which browsers have only on https and on this machine itself. */
function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
