/** Returns "1 animal" or "1,200 animals". */
export function pluralize(count: number, one: string, several = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : several}`;
}

/** Formats a number like "1,200". `toLocaleString` takes tens of milliseconds on its first call. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
