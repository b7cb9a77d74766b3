/** Returns the local day, such as "2026-11-13". */
export function dayOf(time: number): string {
  const date = new Date(time);
  const twoDigits = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

export function lastDays(count: number, now: number): string[] {
  return Array.from({ length: count }, (_, index) => addDays(now, index + 1 - count));
}

export function dayAfter(time: number): string {
  return addDays(time, 1);
}

/** Adds days at noon, because a daylight saving change near midnight could shift the day. */
function addDays(time: number, days: number): string {
  const date = new Date(time);
  return dayOf(new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, 12).getTime());
}

export function dayTitle(day: string, now: number): string {
  const [yesterday, today] = lastDays(2, now);
  if (day === today) return "Today";
  if (day === yesterday) return "Yesterday";
  const date = noonOf(day);
  return `${weekdays[date.getDay()]} ${date.getDate()} ${months[date.getMonth()]}`;
}

export function shortDay(day: string): string {
  const date = noonOf(day);
  return `${date.getDate()} ${months[date.getMonth()]?.slice(0, 3)}`;
}

function noonOf(day: string): Date {
  return new Date(`${day}T12:00:00`);
}

const weekdays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const months = "January February March April May June July August September October November December".split(" ");
