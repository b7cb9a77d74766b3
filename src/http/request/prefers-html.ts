import { elementsOf, weightOf } from "./header-fields.ts";

/** Whether a client likes a page better than data, as a browser does that shows a person what it gets. */
export function prefersHtml(accept: string | null): boolean {
  const accepted = elementsOf(accept);
  const names = new Set(accepted.map(([range]) => range?.name));
  const ofJson = ["application/json", "application/problem+json"].filter((type) => names.has(type));
  const others = names.has("application/*") ? ["application/*"] : ["*/*"];
  const json = (ofJson.length > 0 ? ofJson : others).map((range) => weightOf(range, accepted));
  return weightOf("text/html", accepted) > Math.max(...json);
}
