/** What people press together with another key, as their keyboard has it: "Ctrl K", or "⌘K". */
export function withCommandKey(key: string): string {
  return isApple ? `⌘${key}` : `Ctrl ${key}`;
}

/** Whether what is typed there is text, so that keys mean letters. */
export function isTextPlace(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]") !== null
  );
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
