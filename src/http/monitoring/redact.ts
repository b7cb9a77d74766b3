import { basePath } from "../../operations/operation.ts";

/**
 * A path as operators may see it, without what might be a key: somebody will put one into a path, though it belongs into a header.
 * Where the path leads nowhere, a key may also have slashes in it.
 */
export function redactPath(path: string, isKnownPath: boolean): string {
  if (path.length < minKeyLength) return path;
  if (!isKnownPath) {
    const base = path.startsWith(`${basePath}/`) ? `${basePath}/` : "/";
    return path.length - base.length < minKeyLength ? path : `${base}...`;
  }
  return path
    .split("/")
    .map((segment) => (segment.length < minKeyLength ? segment : "..."))
    .join("/");
}

/** A client may send a key even as the method. */
export function redactMethod(method: string): string {
  return method.length < minKeyLength ? method : "...";
}

const minKeyLength = 16;
