import type { Endpoint } from "./route-parts.ts";

/** Finds what is at a path, which is taken as it was sent. */
export class EndpointTable {
  readonly #plain = new Map<string, Endpoint>();
  /** Those with parameters, by how many segments they have. */
  readonly #patterns = new Map<number, Pattern[]>();

  /** A segment of a path that begins with a colon is a parameter: `/v1/pets/:petId`. */
  constructor(places: Iterable<readonly [path: string, place: Endpoint]>) {
    for (const [path, place] of places) {
      const segments = path.split("/");
      if (!segments.some(isParameter)) {
        this.#plain.set(path, place);
        continue;
      }
      const patterns = this.#patterns.get(segments.length) ?? [];
      patterns.push({ segments, place });
      this.#patterns.set(segments.length, patterns);
    }
  }

  find(path: string): EndpointMatch | undefined {
    const place = this.#plain.get(path);
    if (place) return { place, params: none };
    const segments = path.split("/");
    for (const pattern of this.#patterns.get(segments.length) ?? []) {
      const params = paramsIn(segments, pattern.segments);
      if (params) return { place: pattern.place, params };
    }
    return undefined;
  }
}

export interface EndpointMatch {
  readonly place: Endpoint;
  /** The parameters of its path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly segments: readonly string[];
  readonly place: Endpoint;
}

const none = {};

function isParameter(segment: string): boolean {
  return segment.startsWith(":");
}

function paramsIn(segments: readonly string[], pattern: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? "";
    if (!isParameter(expected)) {
      if (segment !== expected) return undefined;
    } else if (segment === "") {
      return undefined;
    } else {
      params[expected.slice(1)] = decoded(segment);
    }
  }
  return params;
}

/** What is not encoded well stands for nothing, and is left as it is. */
function decoded(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
