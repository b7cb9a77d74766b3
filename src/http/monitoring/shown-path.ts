/** A path as operators may see it, without what might be a key: somebody will put one into a path, though it belongs into a header. */
export function pathToShow(path: string): string {
  if (path.length < shortestKey) return path;
  return path
    .split("/", 8)
    .map((segment) => (segment.length < shortestKey ? segment : "..."))
    .join("/");
}

const shortestKey = 16;
