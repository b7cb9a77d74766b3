/** Caches the last text, because consecutive calls are often for the same millisecond. */
export function formatTime(milliseconds: number): string {
  if (milliseconds !== lastTime) {
    lastText = new Date(milliseconds).toISOString();
    lastTime = milliseconds;
  }
  return lastText;
}

let lastTime = Number.NaN;
let lastText = "";
