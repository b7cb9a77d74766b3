import { elementsOf, weightOf } from "./header-fields.ts";

/** Whether the client names RFC 9457's type, and does not like plain JSON better. */
export function acceptsProblem(accept: string | null): boolean {
  const accepted = elementsOf(accept);
  const problem = weightOf("application/problem+json", accepted);
  return problem > 0 && problem >= weightOf("application/json", accepted);
}

/** Whether a client likes a page better than data, as a browser does that shows a person what it gets. */
export function prefersHtml(accept: string | null): boolean {
  const accepted = elementsOf(accept);
  const names = new Set(accepted.map(([range]) => range?.name));
  const ofJson = ["application/json", "application/problem+json"].filter((type) => names.has(type));
  const others = names.has("application/*") ? ["application/*"] : ["*/*"];
  const json = (ofJson.length > 0 ? ofJson : others).map((range) => weightOf(range, accepted));
  return weightOf("text/html", accepted) > Math.max(...json);
}

/** In which form a client wants events. */
export const eventFormats = ["json", "cloudevents", "stream"] as const;
export type EventFormat = (typeof eventFormats)[number];

export const mediaTypes: Readonly<Record<EventFormat, string>> = {
  json: "application/json",
  cloudevents: "application/cloudevents-batch+json",
  stream: "text/event-stream",
};

/** What the client likes best; JSON if it names none of them. */
export function formatFor(accept: string | null): EventFormat {
  if (accept === null) return "json";
  const accepted = elementsOf(accept);
  const weights: Readonly<Record<EventFormat, number>> = {
    json: weightOf(mediaTypes.json, accepted),
    cloudevents: Math.max(
      weightOf(mediaTypes.cloudevents, accepted),
      weightOf("application/cloudevents+json", accepted),
    ),
    stream: weightOf(mediaTypes.stream, accepted),
  };
  return eventFormats.reduce((best, format) => (weights[format] > weights[best] ? format : best));
}
