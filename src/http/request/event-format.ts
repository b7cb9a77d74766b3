import { elementsOf, weightOf } from "./header-fields.ts";

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
