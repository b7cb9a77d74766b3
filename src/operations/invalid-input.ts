import { ServiceError } from "../domain/errors.ts";

/** What is wrong with one part of a request: `#/name` points into the body, `?limit` into the query; a header has its name. */
export interface Complaint {
  readonly pointer: string;
  readonly message: string;
}

/** A request that its operation cannot be called with. */
export class InvalidInput extends ServiceError<"BadRequest"> {
  constructor(readonly complaints: readonly Complaint[]) {
    super("BadRequest", complaints.map(({ message }) => message).join(" "));
  }
}

/** An item of a list in a body, with what is wrong with it. Pointers are within the item. */
export class InvalidItem {
  constructor(
    readonly value: unknown,
    readonly complaints: readonly Complaint[],
  ) {}
}

export function validOf<Item>(items: readonly (Item | InvalidItem)[]): Item[] {
  return items.filter((item) => !(item instanceof InvalidItem)) as Item[];
}

/** The items, if all are valid. Throws BadRequest with what is wrong with them, but not more than a client would read. */
export function requireValid<Item>(list: string, items: readonly (Item | InvalidItem)[]): readonly Item[] {
  const complaints: Complaint[] = [];
  let more = 0;
  for (const [index, item] of items.entries()) {
    if (!(item instanceof InvalidItem)) continue;
    for (const { pointer, message } of item.complaints) {
      if (complaints.length === mostComplaints) more++;
      else
        complaints.push({ pointer: `#/${list}/${index}${pointer.slice(1)}`, message: `${list}[${index}]: ${message}` });
    }
  }
  const last = complaints.at(-1);
  if (last && more > 0)
    complaints[complaints.length - 1] = { ...last, message: `${last.message} ${more} more are wrong.` };
  if (last) throw new InvalidInput(complaints);
  return items as readonly Item[];
}

/** As many as the body of a problem may have. */
export const mostComplaints = 100;
