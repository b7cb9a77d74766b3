import { useRef, useState } from "react";

export interface StoredDraft<Draft> {
  /** The draft of an earlier visit, if it was neither sent nor discarded. */
  readonly found: Draft | undefined;
  /** Call it while drawing: later the form may be gone. */
  keep(draft: Draft | undefined): void;
  /** Ends keeping. A later draft of the same form stays. */
  forget(): void;
}

/** Keeps a draft for as long as the tab lives. */
export function useStoredDraft<Draft>(name: string): StoredDraft<Draft> {
  const [found] = useState(() => readDraft<Draft>(name));
  const isOver = useRef(false);
  const kept = useRef<string>(undefined);
  return {
    found,
    keep(draft) {
      if (isOver.current) return;
      kept.current = draft === undefined ? undefined : JSON.stringify(draft);
      if (kept.current === undefined) sessionStorage.removeItem(prefix + name);
      else sessionStorage.setItem(prefix + name, kept.current);
    },
    forget() {
      isOver.current = true;
      if (sessionStorage.getItem(prefix + name) === (kept.current ?? null)) removeDraft(name);
    },
  };
}

export function readDraft<Draft>(name: string): Draft | undefined {
  const text = sessionStorage.getItem(prefix + name);
  return text === null ? undefined : (JSON.parse(text) as Draft);
}

export function saveDraft(name: string, draft: unknown): void {
  sessionStorage.setItem(prefix + name, JSON.stringify(draft));
}

export function removeDraft(name: string): void {
  sessionStorage.removeItem(prefix + name);
  sessionStorage.removeItem(sentPrefix + name);
}

/** Contents of a draft in flight, with their idempotency keys. */
type Sent = readonly (readonly [content: string, name: string])[];

export function readSent(name: string): Sent {
  return JSON.parse(sessionStorage.getItem(sentPrefix + name) ?? "[]") as Sent;
}

export function saveSent(name: string, sent: Sent): void {
  if (sent.length === 0) sessionStorage.removeItem(sentPrefix + name);
  else sessionStorage.setItem(sentPrefix + name, JSON.stringify(sent));
}

export function hasDrafts(): boolean {
  return Object.keys(sessionStorage).some((name) => name.startsWith(prefix));
}

export function removeDrafts(): void {
  for (const name of Object.keys(sessionStorage)) {
    if (name.startsWith(prefix) || name.startsWith(sentPrefix)) sessionStorage.removeItem(name);
  }
}

const prefix = "animal-store-draft ";
const sentPrefix = "animal-store-sent ";
