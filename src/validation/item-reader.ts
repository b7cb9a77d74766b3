import { type Complaint, InvalidItem, notAnObject } from "../operations/invalid-input.ts";
import type { ObjectSchema } from "../operations/schema.ts";
import { bodyCopier } from "./defaults.ts";
import { Validator, type Values } from "./validator.ts";

/** Paths of the names that an object gives more than once, such as `["pets", "0", "name"]`. */
export type RepeatedNames = readonly (readonly string[])[];

/** Reads the items of a list in a body one by one, as if each were a body. */
export class ItemReader {
  readonly #validator: Validator;
  readonly #copy: (values: Values) => Values;

  constructor(
    readonly name: string,
    schema: ObjectSchema,
  ) {
    this.#validator = Validator.ofBody(schema);
    this.#copy = bodyCopier(schema);
  }

  /** True if the path within the body leads into an item. */
  includes(path: readonly string[]): boolean {
    return path[0] === this.name && path.length > 2;
  }

  readAll(items: readonly unknown[], isStrict: boolean, repeated: RepeatedNames): (Values | InvalidItem)[] {
    const own = repeated.filter((path) => this.includes(path));
    const byItem = Map.groupBy(own, ([, index]) => Number(index));
    const inItem = (index: number) => byItem.get(index)?.map((path) => path.slice(2));
    return items.map((item, index) => this.read(item, isStrict, inItem(index)));
  }

  /** Returns the item with its defaults, or with the complaints about it. */
  read(item: unknown, isStrict: boolean, repeated: RepeatedNames = []): Values | InvalidItem {
    if (typeof item !== "object" || item === null || Array.isArray(item)) {
      return new InvalidItem(item, [notAnObject]);
    }
    const values = item as Values;
    const complaints: Complaint[] = [];
    this.#validator.check(values, complaints);
    if (isStrict)
      complaints.push(...this.#validator.unknown(Object.keys(values)), ...this.#validator.repeated(repeated));
    return complaints.length > 0 ? new InvalidItem(item, complaints) : this.#copy(values);
  }
}
