import { ifPossible } from "../base/files.ts";
import type { Endpoint } from "./route-parts.ts";

/** Finds the endpoint at a path. The path is matched as sent, without normalization. */
export class EndpointTable {
  readonly #byPath = new Map<string, Endpoint>();
  /** Paths with parameters, by their number of segments. */
  readonly #patterns = new Map<number, Pattern[]>();

  constructor(endpoints: Iterable<readonly [path: string, endpoint: Endpoint]>) {
    for (const [path, endpoint] of endpoints) {
      const segments = path.split("/");
      if (segments.some(isParameter)) {
        this.#patterns.getOrInsertComputed(segments.length, () => []).push({ segments, endpoint });
      } else this.#byPath.set(path, endpoint);
    }
  }

  find(path: string): EndpointMatch | undefined {
    const endpoint = this.#byPath.get(path);
    if (endpoint) return { endpoint, params: noParams };
    const segments = path.split("/");
    for (const pattern of this.#patterns.get(segments.length) ?? []) {
      const params = matchSegments(segments, pattern.segments);
      if (params) return { endpoint: pattern.endpoint, params };
    }
    return undefined;
  }
}

interface EndpointMatch {
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly segments: readonly string[];
  readonly endpoint: Endpoint;
}

const noParams = {};

function isParameter(segment: string): boolean {
  return segment.startsWith(":");
}

function matchSegments(segments: readonly string[], pattern: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? "";
    if (!isParameter(expected)) {
      if (segment !== expected) return undefined;
    } else if (segment === "") {
      return undefined;
    } else {
      // A malformed segment is not decoded: no resource has a malformed id.
      const decoded = segment.includes("%") ? ifPossible(() => decodeURIComponent(segment)) : undefined;
      params[expected.slice(1)] = decoded ?? segment;
    }
  }
  return params;
}
