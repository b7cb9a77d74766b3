import { basePath } from "../../operations/operation.ts";

/** Hides parts of a path that are long enough to be a key sent there by mistake. In an unknown path, a key may even contain slashes. */
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

export function redactMethod(method: string): string {
  return method.length < minKeyLength ? method : "...";
}

const minKeyLength = 16;
