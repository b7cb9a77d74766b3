/** Files of tests that run in one process. */
export interface Group {
  readonly name: string;
  readonly files: readonly string[];
  /** The texts of them all. */
  readonly source: string;
}

/**
 * Puts short files of one folder together, because a process of its own costs many of them more than their tests do, and those of
 * the browser too, because each process has to load what drives it, and to start it. What starts programs or servers, or tries many
 * inputs, stays alone, so that it can run beside the others.
 */
export function groupsOf(files: readonly string[], read: (file: string) => string): Group[] {
  const sources = new Map(files.map((file) => [file, read(file)]));
  const isShort = (file: string) => isInProcess.test(file) && !startsMore.test(sources.get(file) ?? "");
  const isShared = (file: string) => isShort(file) || isOfBrowser.test(file);
  const alone = files.filter((file) => !isShared(file)).map((file) => [file]);
  const folders = Map.groupBy(files.filter(isShort), (file) => isInProcess.exec(file)?.[0] ?? "");
  const together = [
    ...inLots(
      files.filter((file) => isOfBrowser.test(file)),
      mostTogether,
    ),
    ...[...folders.values()].flatMap((some) => inLots(some, mostTogether)),
  ];
  return [...alone, ...together].map((some) => ({
    name: some.length === 1 ? (some[0] ?? "") : `${some[0]} and ${some.length - 1} more`,
    files: some,
    source: some.map((file) => sources.get(file)).join("\n"),
  }));
}

const isInProcess = /^(src|test\/http)\//;
const startsMore = /fast-check|support\/(program|postgres|browser)\.ts|spawn/;
const mostTogether = 6;
const isOfBrowser = /^test\/browser\//;

function inLots<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
