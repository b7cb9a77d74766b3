/** A name that nobody has used before. Not `randomUUID`, which browsers have only on https and on this machine itself. */
export function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
