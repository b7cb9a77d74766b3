import type { KeyboardEvent } from "react";

/** Returns a key combination as on the user's keyboard: "Ctrl K", or "⌘K". */
export function formatShortcut(key: string): string {
  return isApple ? `⌘${key}` : `Ctrl ${key}`;
}

/** Returns true for a letter with Ctrl or Cmd alone. */
export function isCommand(event: Press, letter: string): boolean {
  return normalizeKey(event) === letter && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
}

/** Returns the pressed key, letters in lower case despite Shift and Caps Lock. */
export function normalizeKey({ key }: Press): string {
  return key.length === 1 ? key.toLowerCase() : key;
}

/**
 * Returns true if the key belongs to an input method, as for Chinese or Japanese. Safari marks the last one only by its
 * code.
 */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}

/** Returns true if keys mean text there. */
export function isTextInput(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null
  );
}

type Press = Pick<globalThis.KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
