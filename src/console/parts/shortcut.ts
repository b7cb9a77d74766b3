import type { KeyboardEvent } from "react";

type KeyPress = Pick<globalThis.KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

export function formatShortcut(key: string): string {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? `⌘${key}` : `Ctrl ${key}`;
}

export function isCommand(event: KeyPress, letter: string): boolean {
  return normalizeKey(event) === letter && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
}

export function normalizeKey({ key }: KeyPress): string {
  return key.length === 1 ? key.toLowerCase() : key;
}

/** True if an input method handles the key, as when typing Chinese. Safari marks the last key of a composition only by code 229. */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}

/** True for a control that uses letter keys itself, to enter text or to choose a value. */
export function isTextInput(target: EventTarget | null): boolean {
  const inputs = "input:not([type=checkbox]), textarea, select, [contenteditable]";
  return target instanceof Element && target.closest(inputs) !== null;
}
