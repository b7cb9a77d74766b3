/** Formats a time in milliseconds since 1970 as the API writes it, in UTC. */
export function timeText(milliseconds: number): string {
  // Consecutive times are often of the same millisecond.
  if (milliseconds !== lastTime) {
    lastText = new Date(milliseconds).toISOString();
    lastTime = milliseconds;
  }
  return lastText;
}

export function optionalTimeText(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timeText(milliseconds);
}

let lastTime = Number.NaN;
let lastText = "";
