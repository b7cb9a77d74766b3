import { expect, test } from "bun:test";
import type { ResourceFields } from "../domain/fields.ts";
import { Validator } from "../validation/validator.ts";
import type { Complaint } from "./invalid-input.ts";
import { patchSchema } from "./resource-schema.ts";

const fields = {
  required: { kind: "text", set: "always" },
  optional: { kind: "text", maxLength: 3, isOptional: true, set: "always" },
  choice: { kind: "choice", of: ["a", "b"], isOptional: true, set: "always" },
  number: { kind: "int64", isOptional: true, set: "always" },
} as const satisfies ResourceFields;

test.each([
  [{ optional: null, choice: null, number: null }, []],
  [{ optional: "abc", choice: "b", number: 7, required: "x" }, []],
  [{ required: null }, ["#/required"]],
  [{ optional: "abcd", choice: "c", number: "7" }, ["#/optional", "#/choice", "#/number"]],
  [{ optional: "" }, ["#/optional"]],
  [{ optional: "\u0007" }, ["#/optional"]],
  [{ optional: " " }, ["#/optional"]],
])("optional fields accept null, and apart from that the same values as required fields: %j", (values, refused) => {
  const schema = patchSchema("Patch", "A patch.", fields, { required: "", optional: "", choice: "", number: "" });
  const complaints: Complaint[] = [];
  Validator.ofBody(schema).check(values, complaints);
  expect(complaints.map(({ pointer }) => pointer)).toEqual(refused);
});
