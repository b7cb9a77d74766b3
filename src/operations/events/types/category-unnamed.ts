import { Category, exampleCategory } from "../../categories/schemas.ts";
import { eventKind } from "../event-kind.ts";

export const categoryUnnamed = eventKind({
  type: "category.unnamed",
  subject: "categories",
  summary: "A category lost its name",
  description: "The name of a category was deleted. `data` is what it was; its animals stay.",
  scope: "read",
  data: Category,
  example: { data: exampleCategory },
});
