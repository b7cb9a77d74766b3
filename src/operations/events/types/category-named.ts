import { Category, exampleCategory } from "../../categories/schemas.ts";
import { eventKind } from "../event-kind.ts";

export const categoryNamed = eventKind({
  type: "category.named",
  subject: "categories",
  summary: "A category was named",
  description: "A category got a name, or another one.",
  scope: "read",
  data: Category,
  changes: ["name"],
  example: { data: exampleCategory, previous: { name: "Puppies" } },
});
