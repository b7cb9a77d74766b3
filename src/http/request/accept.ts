import { findQuality, type Pair, parseList } from "./header-fields.ts";

/** True if the client accepts `application/problem+json` (RFC 9457) by name, and does not prefer plain JSON. */
export function acceptsProblem(accept: string | null): boolean {
  const acceptedRanges = parseList(accept);
  const problem = findQuality("application/problem+json", acceptedRanges);
  return problem > 0 && problem >= findMediaTypeQuality("application/json", acceptedRanges);
}

export function prefersHtml(accept: string | null): boolean {
  const acceptedRanges = parseList(accept);
  const problem = findQuality("application/problem+json", acceptedRanges);
  return (
    findQuality("text/html", acceptedRanges) >
    Math.max(findMediaTypeQuality("application/json", acceptedRanges), problem)
  );
}

export const mediaTypes = {
  json: "application/json",
  cloudevents: "application/cloudevents-batch+json",
  stream: "text/event-stream",
} as const;
export type EventFormat = keyof typeof mediaTypes;
const eventFormats = Object.keys(mediaTypes) as readonly EventFormat[];

/** Returns the preferred format. In a tie, a named format beats one that only a wildcard matches. The fallback is JSON. */
export function chooseEventFormat(accept: string | null): EventFormat {
  if (accept === null) return "json";
  const acceptedRanges = parseList(accept);
  const choices = eventFormats.map((format) => ({
    format,
    quality: findMediaTypeQuality(mediaTypes[format], acceptedRanges, alternativeTypes[format]),
    isNamed: acceptedRanges.some(
      ([range]) => range?.name === mediaTypes[format] || range?.name === alternativeTypes[format],
    ),
  }));
  const best = choices.reduce((best, choice) => {
    const isTie = choice.quality === best.quality && choice.quality > 0;
    return choice.quality > best.quality || (isTie && choice.isNamed && !best.isNamed) ? choice : best;
  });
  return best.format;
}

/** Alternative media types: a client that accepts single CloudEvents gets a batch of them. */
const alternativeTypes: Readonly<Partial<Record<EventFormat, string>>> = {
  cloudevents: "application/cloudevents+json",
};

/** Returns the quality of the most specific range that includes the media type (RFC 9110, 12.5.1); 0 if none does. */
function findMediaTypeQuality(type: string, acceptedRanges: readonly (readonly Pair[])[], alternative = type): number {
  const ranges = [type, alternative, type.replace(/\/.*/, "/*"), "*/*"];
  const range = ranges.find((name) => acceptedRanges.some(([first]) => first?.name === name));
  return range === undefined ? 0 : findQuality(range, acceptedRanges);
}
