/** Returns the noun as it follows a number: "animal" after 1, "animals" after any other. */
export function plural(count: number, noun: string): string {
  return count === 1 ? noun : `${noun}s`;
}
