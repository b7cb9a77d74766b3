/** What people press together with another key, as their keyboard has it: "Ctrl K", or "⌘K". */
export function withCommandKey(key: string): string {
  return isApple ? `⌘${key}` : `Ctrl ${key}`;
}

/** Whether what is typed there is text, so that keys mean letters. */
export function isTextPlace(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
