import { useRef, useState } from "react";

/** What somebody has typed into a form and not sent yet. */
export interface KeptDraft<Draft> {
  /** What was typed the last time, if it was neither sent nor discarded. */
  readonly found: Draft | undefined;
  /** Undefined if there is nothing to be kept. Called when it is drawn, and not later, when the form may be gone. */
  keep(draft: Draft | undefined): void;
  /** Once it was sent, or discarded, nothing more of it is kept. */
  forget(): void;
}

/**
 * Keeps a draft for as long as the tab lives, so that neither the Back button nor a reload, nor a key that stops working,
 * loses it.
 */
export function useDraft<Draft>(name: string): KeptDraft<Draft> {
  const [found] = useState(() => draftOf<Draft>(name));
  const isOver = useRef(false);
  return {
    found,
    keep(draft) {
      if (isOver.current) return;
      if (draft === undefined) forgetDraft(name);
      else keepDraft(name, draft);
    },
    forget() {
      isOver.current = true;
      forgetDraft(name);
    },
  };
}

export function draftOf<Draft>(name: string): Draft | undefined {
  const text = sessionStorage.getItem(prefix + name);
  return text === null ? undefined : (JSON.parse(text) as Draft);
}

export function keepDraft(name: string, draft: unknown): void {
  sessionStorage.setItem(prefix + name, JSON.stringify(draft));
}

export function forgetDraft(name: string): void {
  sessionStorage.removeItem(prefix + name);
}

export function forgetDrafts(): void {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(prefix)) sessionStorage.removeItem(name);
}

const prefix = "animal-store-draft ";
