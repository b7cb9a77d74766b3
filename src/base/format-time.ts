export function formatTime(milliseconds: number): string {
  // Consecutive calls are often for the same millisecond.
  if (milliseconds !== lastTime) {
    lastText = new Date(milliseconds).toISOString();
    lastTime = milliseconds;
  }
  return lastText;
}

let lastTime = Number.NaN;
let lastText = "";
