/** A day where people are, such as `2026-11-15`. */
export function dayOf(time: number): string {
  const date = new Date(time);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}

/** The days up to today, the oldest first. */
export function lastDays(count: number, now: number): string[] {
  const today = new Date(now);
  return Array.from({ length: count }, (_, index) => {
    // At noon, since days do not all have as many hours.
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (count - 1 - index), 12);
    return dayOf(day.getTime());
  });
}

/** As people call it: "Today", "Yesterday", "Friday, 13 November". */
export function dayTitle(day: string, now: number): string {
  const [yesterday, today] = lastDays(2, now);
  if (day === today) return "Today";
  if (day === yesterday) return "Yesterday";
  return noonOf(day).toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long" });
}

/** In few characters: "13 Nov". */
export function shortDay(day: string): string {
  return noonOf(day).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

function noonOf(day: string): Date {
  return new Date(`${day}T12:00:00`);
}
