import { type Complaint, InvalidItem } from "../operations/invalid-input.ts";
import { type ObjectSchema, whenAbsent } from "../operations/schema.ts";
import { defaultsOf, fill } from "./defaults.ts";
import { Validator, type Values } from "./validator.ts";

/** Reads the items of a list in a body one by one, as if each were a body. */
export class ItemReader {
  readonly #validator: Validator;
  readonly #defaults: Values;

  constructor(
    readonly name: string,
    schema: ObjectSchema,
  ) {
    this.#validator = Validator.ofBody(schema);
    this.#defaults = defaultsOf(schema.properties, whenAbsent);
  }

  /** The item with what was left out of it, or with what is wrong with it. */
  read(item: unknown, isStrict: boolean): Values | InvalidItem {
    if (typeof item !== "object" || item === null || Array.isArray(item)) {
      return new InvalidItem(item, [{ pointer: "#", message: "This must be a JSON object." }]);
    }
    const values = item as Values;
    const complaints: Complaint[] = [];
    this.#validator.check(values, complaints);
    if (isStrict) complaints.push(...this.#validator.unknown(Object.keys(values)));
    return complaints.length > 0 ? new InvalidItem(item, complaints) : fill(values, this.#defaults);
  }
}
