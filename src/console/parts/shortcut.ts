import type { KeyboardEvent } from "react";

/** What people press together with another key, as their keyboard has it: "Ctrl K", or "⌘K". */
export function withCommandKey(key: string): string {
  return isApple ? `⌘${key}` : `Ctrl ${key}`;
}

/** Whether a letter was pressed together with Ctrl, or Cmd, and nothing else. */
export function isCommand(event: Press, letter: string): boolean {
  return plainKey(event) === letter && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
}

/** The key that was pressed, a letter always as a small one: Shift and Caps Lock would make a capital of it. */
export function plainKey({ key }: Press): string {
  return key.length === 1 ? key.toLowerCase() : key;
}

/**
 * Whether the key belongs to an input method, by which people write Chinese, Japanese or Korean: then Enter, Escape and the arrows
 * choose among what it suggests, and mean nothing to the page. Safari tells so of the last one only by its number.
 */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}

/** Whether what is typed there is text, so that keys mean letters. */
export function isTextPlace(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null
  );
}

interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
