/** A number of things, in words: "1 animal", "1,200 animals". */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : several}`;
}

/**
 * A whole number as it is written in English, as the rest of the page is: "1,200". Not by the browser, which takes tens of
 * milliseconds to load what it knows about languages when it is first asked.
 */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
