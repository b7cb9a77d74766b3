/** Formats a time in milliseconds since 1970 as the API writes it, in UTC. */
export function formatTime(milliseconds: number): string {
  // Consecutive calls are often for the same millisecond, so the last text is cached.
  if (milliseconds !== lastTime) {
    lastText = new Date(milliseconds).toISOString();
    lastTime = milliseconds;
  }
  return lastText;
}

export function formatOptionalTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : formatTime(milliseconds);
}

let lastTime = Number.NaN;
let lastText = "";
