import { ServiceError } from "../domain/errors.ts";

export interface Complaint {
  /** The invalid part: `#/name` in the body, `?limit` in the query, or the name of a header. */
  readonly pointer: string;
  readonly message: string;
}

export const notAnObject: Complaint = { pointer: "#", message: "A JSON object is required." };

export class InvalidInput extends ServiceError<"BadRequest"> {
  constructor(readonly complaints: readonly Complaint[]) {
    super("BadRequest", complaints.map(({ message }) => message).join(" "));
  }
}

/** An invalid item of a list in a body. Pointers are relative to the item. */
export class InvalidItem {
  constructor(
    readonly value: unknown,
    readonly complaints: readonly Complaint[],
  ) {}
}

export function selectValid<Item>(items: readonly (Item | InvalidItem)[]): Item[] {
  return items.filter((item) => !(item instanceof InvalidItem)) as Item[];
}

export function requireValid<Item>(list: string, items: readonly (Item | InvalidItem)[]): readonly Item[] {
  const complaints = complaintsAbout(list, items);
  if (complaints.length > 0) throw new InvalidInput(complaints);
  return items as readonly Item[];
}

/** Returns as many complaints as fit in an error body that already has `existingCount` others. */
export function complaintsAbout(list: string, items: readonly unknown[], existingCount = 0): Complaint[] {
  const complaints: Complaint[] = [];
  let omittedCount = 0;
  for (const [index, item] of items.entries()) {
    if (!(item instanceof InvalidItem)) continue;
    const path = `#/${list}/${index}`;
    for (const { pointer, message } of item.complaints) {
      if (complaints.length + existingCount === maxComplaints) omittedCount++;
      else complaints.push({ pointer: path + pointer.slice(1), message: `${list}[${index}]: ${message}` });
    }
  }
  const last = complaints.pop();
  if (last)
    complaints.push(
      omittedCount === 0 ? last : { ...last, message: `${last.message} ${omittedCount} more are wrong.` },
    );
  return complaints;
}

export const maxComplaints = 100;
