import { useRef, useState } from "react";

export type StoredDraft<Draft> = ReturnType<typeof useStoredDraft<Draft>>;

export function useStoredDraft<Draft>(name: string) {
  const [restored] = useState(() => readDraft<Draft>(name));
  const isForgotten = useRef(false);
  const storedText = useRef<string>(undefined);
  return {
    restored,
    /** Stores the draft. Call this in a layout effect, because the form may be unmounted before a later effect runs. */
    keep(draft: Draft | undefined): void {
      if (isForgotten.current) return;
      storedText.current = draft === undefined ? undefined : JSON.stringify(draft);
      if (storedText.current === undefined) sessionStorage.removeItem(draftPrefix + name);
      else sessionStorage.setItem(draftPrefix + name, storedText.current);
    },
    /** Removes the draft, unless the same form was opened again and has stored a newer draft. */
    forget(): void {
      isForgotten.current = true;
      if (sessionStorage.getItem(draftPrefix + name) === (storedText.current ?? null)) removeDraft(name);
    },
  };
}

export function readDraft<Draft>(name: string): Draft | undefined {
  const text = sessionStorage.getItem(draftPrefix + name);
  return text === null ? undefined : (JSON.parse(text) as Draft);
}

export function saveDraft(name: string, draft: unknown): void {
  sessionStorage.setItem(draftPrefix + name, JSON.stringify(draft));
}

export function removeDraft(name: string): void {
  sessionStorage.removeItem(draftPrefix + name);
  sessionStorage.removeItem(idempotencyKeysPrefix + name);
}

type KeysByContent = readonly (readonly [content: string, idempotencyKey: string])[];

export function readIdempotencyKeys(name: string): KeysByContent {
  return JSON.parse(sessionStorage.getItem(idempotencyKeysPrefix + name) ?? "[]") as KeysByContent;
}

export function saveIdempotencyKeys(name: string, keys: KeysByContent): void {
  if (keys.length === 0) sessionStorage.removeItem(idempotencyKeysPrefix + name);
  else sessionStorage.setItem(idempotencyKeysPrefix + name, JSON.stringify(keys));
}

export function hasDrafts(): boolean {
  return Object.keys(sessionStorage).some((name) => name.startsWith(draftPrefix));
}

export function removeDrafts(): void {
  for (const name of Object.keys(sessionStorage)) {
    if (name.startsWith(draftPrefix) || name.startsWith(idempotencyKeysPrefix)) sessionStorage.removeItem(name);
  }
}

const draftPrefix = "animal-store-draft ";
const idempotencyKeysPrefix = "animal-store-sent ";
