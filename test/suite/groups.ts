export interface Group {
  readonly name: string;
  readonly files: readonly string[];
  readonly source: string;
}

/** Groups short files of a folder, because starting a process takes longer than a short file's tests. Other files run alone. */
export function groupFiles(
  files: readonly string[],
  read: (file: string) => string,
  mustBeAlone: readonly string[] = [],
): Group[] {
  const sources = new Map(files.map((file) => [file, read(file)]));
  const folderOf = (file: string) => {
    if (mustBeAlone.includes(file)) return undefined;
    const source = sources.get(file) ?? "";
    return groupRules.find(({ folder, canShare }) => folder.test(file) && canShare(source))?.folder.exec(file)?.[0];
  };
  const singleFiles = files.filter((file) => folderOf(file) === undefined).map((file) => [file]);
  const folders = Map.groupBy(
    files.filter((file) => folderOf(file) !== undefined),
    folderOf,
  );
  const batches = [...folders.values()].flatMap((members) => splitIntoBatches(members, maxGroupSize));
  return [...singleFiles, ...batches].map((members) => ({
    name: members.length === 1 ? (members[0] ?? "") : `${members[0]} and ${members.length - 1} more`,
    files: members,
    source: members.map((file) => sources.get(file)).join("\n"),
  }));
}

const slowSourcePattern = /fast-check|support\/(program|postgres|browser)\.ts|spawn/;

/** The folders whose files may share a process, and the condition that such a file must meet. */
const groupRules: readonly { folder: RegExp; canShare(source: string): boolean }[] = [
  { folder: /^test\/browser\//, canShare: () => true },
  { folder: /^(src|test\/http)\//, canShare: (source) => !slowSourcePattern.test(source) },
  // Files here start programs and servers; a short file starts only a few.
  { folder: /^test\/(client|program|store|suite|support)\//, canShare: ({ length }) => length < 16_000 },
];

const maxGroupSize = 6;

function splitIntoBatches<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
