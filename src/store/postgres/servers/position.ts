/** A place in the server's log of changes: what was committed before has a lower one. */
export type Position = bigint;

/** As the server writes it: two hexadecimal halves. */
export function positionOf(text: string): Position {
  const [high = "", low = ""] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
