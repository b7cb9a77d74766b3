/** Returns the local day, such as "2026-11-13". */
export function toDay(time: number): string {
  const date = new Date(time);
  const twoDigits = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

export function listLastDays(count: number, now: number): string[] {
  return Array.from({ length: count }, (_, index) => addDays(now, index + 1 - count));
}

export function toDayAfter(time: number): string {
  return addDays(time, 1);
}

/** Adds days at noon, because a daylight saving change near midnight could shift the day. */
function addDays(time: number, days: number): string {
  const date = new Date(time);
  return toDay(new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, 12).getTime());
}

export function formatDayTitle(day: string, now: number): string {
  const [yesterday, today] = listLastDays(2, now);
  if (day === today) return "Today";
  if (day === yesterday) return "Yesterday";
  const date = toNoon(day);
  return `${weekdays[date.getDay()]} ${date.getDate()} ${months[date.getMonth()]}`;
}

export function formatShortDay(day: string): string {
  const date = toNoon(day);
  return `${date.getDate()} ${months[date.getMonth()]?.slice(0, 3)}`;
}

function toNoon(day: string): Date {
  return new Date(`${day}T12:00:00`);
}

const weekdays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const months = "January February March April May June July August September October November December".split(" ");
