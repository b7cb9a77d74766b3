import { basePath, type Operation, pathParameter } from "../../operations/operation.ts";
import type { Exchange } from "../exchange.ts";

/** The path as operators may see it: as it was sent, without what might be a key. */
export function pathToShow(exchange: Exchange): string {
  const { operation, path } = exchange;
  return withoutSecrets(operation?.params ? sentPath(exchange, operation) : path);
}

/**
 * The path as it was sent. In that of the exchange, the runtime has resolved dots and backslashes, after it had matched the
 * path with them in it.
 */
function sentPath({ path, request: { params = {} } }: Exchange, operation: Operation): string {
  const holds = (text: string) => Object.values(params).every((value) => text.includes(`/${value}`));
  if (holds(path) || holds(decoded(path))) return path;
  return (
    basePath +
    operation.path.replace(pathParameter, (_, name) => encodeURIComponent((params[name] ?? "").toWellFormed()))
  );
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A key belongs into a header, but somebody will put one into a path: what is as long as a key is not repeated. */
function withoutSecrets(path: string): string {
  if (path.length < shortestKey) return path;
  return path
    .split("/", 8)
    .map((segment) => (segment.length < shortestKey ? segment : "..."))
    .join("/");
}

const shortestKey = 16;
