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

/** Returns as many complaints as fit in an error body that already has `existingCount` others. */
export function collectComplaints(list: string, items: readonly unknown[], existingCount = 0): Complaint[] {
  const complaints = items.flatMap((item, index) =>
    item instanceof InvalidItem
      ? item.complaints.map(({ pointer, message }) => ({
          pointer: `#/${list}/${index}${pointer.slice(1)}`,
          message: `${list}[${index}]: ${message}`,
        }))
      : [],
  );
  const room = maxComplaints - existingCount;
  const [last, omittedCount] = [complaints[room - 1], complaints.length - room];
  if (!last || omittedCount <= 0) return complaints;
  return complaints.slice(0, room).with(-1, { ...last, message: `${last.message} ${omittedCount} more are wrong.` });
}

export const maxComplaints = 100;
