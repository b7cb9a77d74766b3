/** A day where people are, such as `2026-11-15`. */
export function dayOf(time: number): string {
  const date = new Date(time);
  const twoDigits = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
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

/** As people call it: "Today", "Yesterday", "Friday 13 November". */
export function dayTitle(day: string, now: number): string {
  const [yesterday, today] = lastDays(2, now);
  if (day === today) return "Today";
  if (day === yesterday) return "Yesterday";
  const date = noonOf(day);
  return `${weekdays[date.getDay()]} ${date.getDate()} ${months[date.getMonth()]}`;
}

/** In few characters: "13 Nov". */
export function shortDay(day: string): string {
  const date = noonOf(day);
  return `${date.getDate()} ${months[date.getMonth()]?.slice(0, 3)}`;
}

function noonOf(day: string): Date {
  return new Date(`${day}T12:00:00`);
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;
