import { ServiceError } from "../domain/errors.ts";

/** A problem with one part of a request. The pointer is `#/name` in the body, `?limit` in the query, or the name of a header. */
export interface Complaint {
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

export function validOf<Item>(items: readonly (Item | InvalidItem)[]): Item[] {
  return items.filter((item) => !(item instanceof InvalidItem)) as Item[];
}

/** Returns the items if all are valid. Throws BadRequest otherwise. */
export function requireValid<Item>(list: string, items: readonly (Item | InvalidItem)[]): readonly Item[] {
  const complaints = complaintsAbout(list, items);
  if (complaints.length > 0) throw new InvalidInput(complaints);
  return items as readonly Item[];
}

/** Returns the complaints about all items of a list, as many as fit into an error that has some already. */
export function complaintsAbout(list: string, items: readonly unknown[], already = 0): Complaint[] {
  const complaints: Complaint[] = [];
  let more = 0;
  for (const [index, item] of items.entries()) {
    if (!(item instanceof InvalidItem)) continue;
    for (const { pointer, message } of item.complaints) {
      if (complaints.length + already === maxComplaints) more++;
      else
        complaints.push({ pointer: `#/${list}/${index}${pointer.slice(1)}`, message: `${list}[${index}]: ${message}` });
    }
  }
  const last = complaints.at(-1);
  if (last && more > 0)
    complaints[complaints.length - 1] = { ...last, message: `${last.message} ${more} more are wrong.` };
  return complaints;
}

/** Maximum number of complaints in an error body. */
export const maxComplaints = 100;
