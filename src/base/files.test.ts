import { expect, test } from "bun:test";
import {
  chownSync,
  linkSync,
  lutimesSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { testUnless } from "../../test/support/conditional-test.ts";
import { leavePartialFile } from "../../test/support/partial-file.ts";
import { isRunning, listChildren } from "../../test/support/processes.ts";
import { temporaryFolder } from "../../test/support/temporary.ts";
import { until } from "../../test/support/wait.ts";
import { copyOwner, newPartialPath, removeLeftovers } from "./files.ts";

const threeDaysAgo = () => (Date.now() - 3 * 24 * 60 * 60 * 1000) / 1000;

test("partial files of processes that have ended are removed, and no others", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  const ended = await leavePartialFile(path);
  const running = newPartialPath(path);
  const ofVersion1 = ended.replace(/-(\w+)$/, "-12345-$1");
  const elsewhereOld = `${path}.partial-00000000-1-1-0123abcd`;
  const anonymousOld = `${path}.partial-0123abcd`;
  // The shell starts a process, and then becomes one that never reads its exit code.
  await using parent = Bun.spawn(["sh", "-c", "true & exec sleep 600"]);
  await until(() => listChildren(parent.pid).some((pid) => !isRunning(pid)));
  const [zombiePid] = listChildren(parent.pid);
  const nameFor = (pid: number | undefined) => running.replace(/-\d+-(\w+)$/, `-${pid}-$1`);
  const [idle, ofZombie] = [nameFor(parent.pid), nameFor(zombiePid)];
  const removed = [ended, `${ended}-wal`, `${ended}-journal`, ofVersion1, ofZombie, elsewhereOld, anonymousOld];
  const keptPaths = [
    path,
    running,
    idle,
    `${path}.partial-00000000-1-1-4567abcd`,
    `${path}.partial-4567abcd`,
    `${path}.partial-notes`,
    `${path}.before-20261115T170000Z`,
    join(folder.path, ended.slice(folder.path.length + 1).replace("animals", "others")),
  ];
  for (const file of [...removed, ...keptPaths]) writeFileSync(file, "x");
  for (const file of [idle, elsewhereOld, anonymousOld]) utimesSync(file, threeDaysAgo(), threeDaysAgo());
  removeLeftovers(path);
  expect(readdirSync(folder.path).sort()).toEqual(keptPaths.map((file) => file.slice(folder.path.length + 1)).sort());
});

test("a file with a date in its name, a link and a circular link are not treated as leftovers", () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  const [dated, link, circle] = [`${path}.partial-20261115`, `${path}.partial-0123abcd`, `${path}.partial-abcd0123`];
  const target = join(folder.path, "target");
  for (const file of [dated, target]) writeFileSync(file, "x");
  symlinkSync(target, link);
  symlinkSync(circle, circle);
  for (const file of [dated, target, link, circle]) lutimesSync(file, threeDaysAgo(), threeDaysAgo());
  removeLeftovers(path);
  expect(readdirSync(folder.path)).toHaveLength(4);
});

test("a folder that does not exist has no leftovers", () => {
  using folder = temporaryFolder();
  expect(() => removeLeftovers(join(folder.path, "missing", "animals.db"))).not.toThrow();
});

const anotherUser = 65_000;

testUnless(
  process.geteuid?.() === 0 ? undefined : "only root can change owners",
  "root gives its own file to the owner of the folder, but not the target of a symbolic or hard link",
  () => {
    using folder = temporaryFolder();
    const pathOf = (name: string) => join(folder.path, name);
    const [own, foreign, link, hardLink] = [pathOf("own"), pathOf("foreign"), pathOf("link"), pathOf("hard-link")];
    for (const file of [own, foreign]) writeFileSync(file, "");
    symlinkSync(foreign, link);
    chownSync(folder.path, anotherUser, anotherUser);
    copyOwner(folder.path, own);
    expect(() => copyOwner(folder.path, link)).toThrow("ELOOP");
    linkSync(foreign, hardLink);
    copyOwner(folder.path, hardLink);
    expect([own, foreign].map((file) => statSync(file).uid)).toEqual([anotherUser, 0]);
  },
);
