import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { wasUsedAsStore } from "../../src/store/sqlite/file/examine.ts";
import { Client } from "../support/client.ts";
import { mountSkipReason, smallBlocksSkipReason, succeeds, testUnless } from "../support/conditional-test.ts";
import {
  LineReader,
  programCommand,
  programInShell,
  programKey,
  RunningProgram,
  runCommand,
} from "../support/program.ts";
import { makeOldSqliteStore, makeSqliteStore } from "../support/sqlite-stores.ts";
import { temporaryFolder } from "../support/temporary.ts";

const mountProblem = mountSkipReason();
const canMount = mountProblem === undefined;
const mountSkipSuffix = mountProblem ? ` (skipped: ${mountProblem})` : "";

const [executable = "", main = executable] = [programCommand[0], programCommand.at(-1)];
/** True if the tests can become another user who can run the program. */
const canSwitchUser = succeeds("setpriv", "--reuid=65534", "test", "-r", main, "-a", "-x", executable);

// File permissions do not restrict the superuser, so a superuser must become another user for these tests.
const isSuperuser = process.getuid?.() === 0;
const userSkipSuffix =
  isSuperuser && !canSwitchUser ? " (skipped: this machine has no setpriv to become another user)" : "";

const protectedLinks = "/proc/sys/fs/protected_hardlinks";
const areLinksProtected = existsSync(protectedLinks) && readFileSync(protectedLinks, "utf8").trim() === "1";
const linkSkipSuffix =
  isSuperuser && canSwitchUser && areLinksProtected
    ? ""
    : " (skipped: only root can make a file here that its users cannot link)";

async function runAsOtherUser(args: readonly string[]) {
  const asOtherUser = isSuperuser ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
  return await runCommand([...asOtherUser, ...programCommand, ...args]);
}

/** Makes two stores: one in a folder that the program's user cannot enter, and one in a folder that all users can use. */
async function makeClosedFolder() {
  const folder = temporaryFolder();
  const [closed, open] = [join(folder.path, "closed"), join(folder.path, "open")];
  for (const path of [closed, open]) {
    mkdirSync(path);
    await makeSqliteStore(join(path, "animals.db"));
  }
  chmodSync(join(open, "animals.db"), 0o666);
  chmodSync(open, 0o777);
  chmodSync(folder.path, 0o755);
  chmodSync(closed, isSuperuser ? 0o700 : 0o000);
  return {
    closed,
    open,
    [Symbol.dispose]() {
      chmodSync(closed, 0o700);
      folder[Symbol.dispose]();
    },
  };
}

async function runOnDisk(folder: string, size: string, script: string) {
  const command = ["unshare", "-rm", "sh", "-c", `mount -t tmpfs -o size=${size} none ${folder} && ${script}`];
  return await runCommand(command, { env: { ...process.env, ANIMAL_STORE_API_KEY: undefined } });
}

test.skipIf(!canMount).each([["serve --port 0"], ["keys list"], ["keys create --name me"], ["migrate"]])(
  `%s on a read-only disk fails with a one-line error and exit code 2${mountSkipSuffix}`,
  async (command) => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    const [path, store] = [join(folder.path, "animals.db"), join(elsewhere.path, "animals.db")];
    await makeSqliteStore(store);
    const { stdout, stderr } = await runOnDisk(
      folder.path,
      "1m",
      `cp ${store} ${path} && mount -o remount,bind,ro ${folder.path} &&
       ${programInShell} ${command} --database sqlite:${path}; echo "exit code $?"`,
    );
    expect(stdout).toBe("exit code 2\n");
    expect(stderr).toBe(
      `animal-store: ${path} cannot be opened for writing: EROFS: read-only file system, access '${folder.path}'. Mount its file system for writing, or choose another place.\n`,
    );
  },
);

test.skipIf(!canMount).each([
  ["backup FOLDER/backup.db --database sqlite:STORE", "backup.db"],
  ["restore STORE --replace --database sqlite:FOLDER/animals.db", "animals.db"],
])(`%s on a read-only disk fails with a one-line error and exit code 2${mountSkipSuffix}`, async (command, name) => {
  using folder = temporaryFolder();
  using elsewhere = temporaryFolder();
  const store = await makeSqliteStore(join(elsewhere.path, "animals.db"));
  const givenArgs = command.replace("FOLDER", folder.path).replace("STORE", store);
  const script = `mount -o remount,bind,ro ${folder.path} && ${programInShell} ${givenArgs}; echo "exit code $?"`;
  const { stdout, stderr } = await runOnDisk(folder.path, "1m", script);
  expect(stdout).toBe("exit code 2\n");
  const place = join(folder.path, name);
  expect(stderr).toMatch(
    new RegExp(`^animal-store: ${place} cannot be opened for writing: EROFS: [^\n]* Mount its file system [^\n]*\n$`),
  );
});

// A new store needs 76 KiB or more for its file, 32 KiB for the index of the WAL, and space for the WAL.
test.skipIf(!canMount).each([[4], [16], [40], [72], [80], [88], [96], [104], [112]])(
  `serve at its first start on a disk with %d KiB left fails with a one-line error and exit code 2, and starts once there is space${mountSkipSuffix}`,
  async (room) => {
    using folder = temporaryFolder();
    const start = `${programInShell} serve --port 0 --log-level off --database sqlite:${join(folder.path, "data/animals.db")}`;
    const { stdout, stderr } = await runOnDisk(
      folder.path,
      "2m",
      `head -c ${2048 - room}k /dev/zero > ${folder.path}/rest; ${start}; echo "exit code $?"; rm ${folder.path}/rest
       : > ${folder.path}/greeting; ${start} > ${folder.path}/greeting & child=$!
       until grep "is ready" ${folder.path}/greeting; do kill -0 $child || exit; sleep 0.05; done; kill $child`,
    );
    expect(stdout).toMatch(/^exit code 2\nanimal-store is ready/);
    expect(stderr).toMatch(/^animal-store: [^\n]*disk is full[^\n]*\n$/);
  },
);

test
  .skipIf(!canMount)
  .each<[string, room: number]>(
    ["serve --port 0", "keys list", "keys create --name me", "migrate"].flatMap((command) =>
      [0, 8, 36, 44].map((room): [string, number] => [command, room]),
    ),
  )(
  `%s on a disk with %d KiB left, which is too little, fails with a one-line error and exit code 2${mountSkipSuffix}`,
  async (command, room) => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    const [path, store] = [join(folder.path, "animals.db"), join(elsewhere.path, "animals.db")];
    makeOldSqliteStore(store);
    const { stdout, stderr } = await runOnDisk(
      folder.path,
      "1m",
      `cp ${store} ${path} && head -c ${room}k /dev/zero > ${folder.path}/room;
       cat /dev/zero > ${folder.path}/rest 2> /dev/null; rm ${folder.path}/room;
       ${programInShell} ${command} --database sqlite:${path}; echo "exit code $?"`,
    );
    expect(stdout).toBe("exit code 2\n");
    expect(stderr).toMatch(/^animal-store: [^\n]*disk is full[^\n]*\n$/);
  },
);

test
  .skipIf(!canMount)
  .each([
    ...["16k", "100k", "128k", "400k"].map((size) => [size, "copy --from sqlite:STORE --to sqlite:DISK"] as const),
    ["400k", "backup DISK --database sqlite:STORE"],
    ["400k", "restore STORE --database sqlite:DISK"],
  ] as const)(
  `on a disk of only %s, %s fails with a one-line error and exit code 2, and leaves no backup and no store${mountSkipSuffix}`,
  async (size, command) => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    const store = await makeSqliteStore(join(elsewhere.path, "animals.db"), 10_000);
    const givenArgs = command.replace("STORE", store).replace("DISK", join(folder.path, "animals.db"));
    const list = command.startsWith("copy") ? "" : `ls ${folder.path}`;
    const { stdout, stderr } = await runOnDisk(
      folder.path,
      size,
      `${programInShell} ${givenArgs}; echo "exit code $?"; ${list}`,
    );
    expect(stdout).toBe("exit code 2\n");
    expect(stderr).toMatch(/^animal-store: [^\n]*disk is full[^\n]*\n$/);
  },
);

test.skipIf(isSuperuser && !canSwitchUser).each([["serve --port 0"], ["keys create --name me"], ["migrate"]])(
  `%s without the right to write fails with a one-line error and exit code 2${userSkipSuffix}`,
  async (command) => {
    using folder = temporaryFolder();
    const path = await makeSqliteStore(join(folder.path, "animals.db"));
    chmodSync(path, 0o444);
    chmodSync(folder.path, 0o755);
    const before = readFileSync(path);
    const { stdout, stderr, exitCode } = await runAsOtherUser([...command.split(" "), "--database", `sqlite:${path}`]);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toMatch(
      /^animal-store: \S+ cannot be opened for writing: EACCES: permission denied, access '[^\n]*\n$/,
    );
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(folder.path)).toEqual(["animals.db"]);
  },
);

test
  .skipIf(isSuperuser && !canSwitchUser)
  .each([
    ["serve --port 0 --database sqlite:CLOSED/animals.db"],
    ["keys list --database sqlite:CLOSED/animals.db"],
    ["check --database sqlite:CLOSED/animals.db"],
    ["migrate --dry-run --database sqlite:CLOSED/animals.db"],
    ["copy --from sqlite:CLOSED/animals.db --to sqlite:OPEN/other.db"],
    ["export - --database sqlite:CLOSED/animals.db"],
    ["restore CLOSED/animals.db --database sqlite:OPEN/other.db"],
    ["backup OPEN/backup.db --database sqlite:CLOSED/animals.db"],
    ["backup CLOSED/backup.db --database sqlite:OPEN/animals.db"],
    ["backup --every 1h CLOSED/backups --database sqlite:OPEN/animals.db"],
  ])(`%s fails with a one-line error if the user may not enter the folder${userSkipSuffix}`, async (command) => {
  using folder = await makeClosedFolder();
  const args = command.replaceAll("CLOSED", folder.closed).replaceAll("OPEN", folder.open).split(" ");
  const { stdout, stderr, exitCode } = await runAsOtherUser(args);
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
  expect(stderr).toMatch(
    /^animal-store: \S+ cannot be opened for writing: EACCES: permission denied, [^\n]* Give the user [^\n]*\n$/,
  );
});

test.skipIf(!canMount)(
  `copy to a disk that becomes full says so, and continues once there is space${mountSkipSuffix}`,
  async () => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    const [path, store] = [join(folder.path, "animals.db"), join(elsewhere.path, "animals.db")];
    await makeSqliteStore(store, 10_000);
    const copy = `${programInShell} copy --from sqlite:${store} --to sqlite:${path}; echo "exit code $?"`;
    const script = `${copy}; mount -o remount,size=16m ${folder.path}; ${copy}`;
    const { stdout, stderr } = await runOnDisk(folder.path, "1m", script);
    expect(stderr).toMatch(
      /^animal-store: The copy is incomplete: SQLITE_FULL: [^\n]*\. Run the same command again to continue it\.\n$/,
    );
    expect(stdout).toMatch(/^exit code 1\nCopied: animals 10000, [^\n]*\nexit code 0\n$/);
  },
);

test.skipIf(!canMount)(
  `import onto a disk that becomes full says what was imported, and continues once there is space${mountSkipSuffix}`,
  async () => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    const [path, store] = [join(folder.path, "animals.db"), join(elsewhere.path, "animals.db")];
    await makeSqliteStore(store);
    const file = join(elsewhere.path, "animals.ndjson");
    writeFileSync(file, `{"name":"${"x".repeat(255)}","categoryId":7}\n`.repeat(6_000));
    const place = `--database sqlite:${path}; echo "exit code $?"`;
    const run = `XDG_STATE_HOME=${elsewhere.path} ${programInShell} import ${file} ${place}`;
    const script = `cp ${store} ${path}; ${run}; mount -o remount,size=32m ${folder.path}; ${run}`;
    const { stdout, stderr } = await runOnDisk(folder.path, "2m", script);
    const messages =
      /^animal-store: The import is incomplete: SQLITE_FULL: [^\n.]*\. (\d+) animals were added\. Run the same command again to continue\.\nAdded (\d+) animals\. (\d+) had been added before\.\n$/;
    const [, added, rest, before] = messages.exec(stderr) ?? [];
    expect([stdout, before, Number(rest) + Number(before)]).toEqual(["exit code 1\nexit code 0\n", added, 6_000]);
  },
);

test.skipIf(!canMount)(
  `a restore that cannot move the file, because the file is a mount point, leaves the store usable${mountSkipSuffix}`,
  async () => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    const [path, store] = [join(folder.path, "animals.db"), join(elsewhere.path, "animals.db")];
    await makeSqliteStore(store, 3);
    const backup = join(elsewhere.path, "backup.db");
    const mount = `touch ${path} ${folder.path}/mounted.db; cp ${store} ${folder.path}/mounted.db; mount --bind ${folder.path}/mounted.db ${path}`;
    const { stdout, stderr } = await runOnDisk(
      folder.path,
      "4m",
      `${mount} && ${programInShell} backup ${backup} --database sqlite:${path} > ${folder.path}/told
     ${programInShell} restore ${backup} --replace --database sqlite:${path}; echo "exit code $?"; ls ${folder.path}
     ${programInShell} backup ${path} --database sqlite:${backup}; echo "exit code $?"`,
    );
    expect(stdout).toBe("exit code 2\nanimals.db\nmounted.db\ntold\nexit code 2\n");
    const [restored, backedUp] = stderr.trimEnd().split("\n");
    expect(restored).toMatch(
      /^animal-store: \S+ cannot be replaced: EBUSY: .*\. If the file itself is mounted, mount its folder instead\.$/,
    );
    expect(backedUp).toMatch(/is a store, not a backup/);
  },
);

test.skipIf(isSuperuser && !canSwitchUser).each([
  ["the store", false],
  ["the remains of a store", true],
])(
  `a restore leaves %s in place if the folder cannot be read, and therefore cannot be flushed${userSkipSuffix}`,
  async (_, isStoreMissing) => {
    using folder = temporaryFolder();
    const [path, file] = [join(folder.path, "animals.db"), join(folder.path, "backup.db")];
    await makeSqliteStore(path, 3);
    await makeSqliteStore(file, 1);
    if (isStoreMissing) {
      rmSync(path);
      writeFileSync(`${path}-wal`, "its log");
    }
    const before = readdirSync(folder.path).sort();
    for (const name of before) chmodSync(join(folder.path, name), 0o666);
    chmodSync(folder.path, 0o333);
    const { stdout, stderr, exitCode } = await runAsOtherUser(restoreArgs(file, path));
    chmodSync(folder.path, 0o755);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toMatch(/^animal-store: \S+ cannot be replaced: EACCES: [^\n]* Give the user [^\n]*\n$/);
    expect(readdirSync(folder.path).sort()).toEqual(before);
    if (isStoreMissing) expect(readFileSync(`${path}-wal`, "utf8")).toBe("its log");
    else expect([wasUsedAsStore(path), countAnimals(path)]).toEqual([true, 3]);
  },
);

// The kernel forbids hard links to another user's setuid file, so such a file simulates a file system without hard links.
test.skipIf(linkSkipSuffix !== "")(
  `a restore keeps the previous store even on file systems without hard links${linkSkipSuffix}`,
  async () => {
    using folder = temporaryFolder();
    const [path, file] = [join(folder.path, "animals.db"), join(folder.path, "backup.db")];
    await makeSqliteStore(path, 3);
    await makeSqliteStore(file, 1);
    // Changes the file before chmod sets the setuid bit, because a write clears that bit.
    {
      using database = new Database(path);
      database.run("PRAGMA journal_mode = DELETE");
    }
    chmodSync(path, 0o4666);
    chmodSync(file, 0o666);
    chmodSync(folder.path, 0o777);
    const { stdout, stderr, exitCode } = await runAsOtherUser(restoreArgs(file, path));
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const keptFile = /^The previous store is kept as (.*)\.$/m.exec(stdout)?.[1] ?? "";
    expect([statSync(keptFile).mode & 0o7777, countAnimals(keptFile), countAnimals(path)]).toEqual([0o4666, 3, 1]);
    expect(readdirSync(folder.path).sort()).toEqual(["animals.db", basename(keptFile), "backup.db"]);
  },
);

const restoreArgs = (file: string, path: string) => ["restore", file, "--replace", "--database", `sqlite:${path}`];

function countAnimals(path: string): number {
  using database = new Database(path);
  return database.query<{ count: number }, []>("SELECT count(*) AS count FROM pets").get()?.count ?? 0;
}

test.skipIf(isSuperuser && !canSwitchUser)(
  `doctor reports a folder that the user may not enter${userSkipSuffix}`,
  async () => {
    using folder = await makeClosedFolder();
    const database = `sqlite:${join(folder.closed, "animals.db")}`;
    const { stdout, stderr, exitCode } = await runAsOtherUser(["doctor", "--json", "--database", database]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 1 });
    expect(JSON.parse(stdout).diagnoses).toContainEqual({
      about: "store",
      isWell: false,
      found: expect.stringContaining("EACCES: permission denied"),
      advice: "Give the user that runs this program the right to read and write the file and its folder.",
    });
  },
);

testUnless(
  smallBlocksSkipReason(),
  "after a kill on a full disk with small blocks, a command fails with a one-line error, and is not killed by SIGBUS",
  async () => {
    using folder = temporaryFolder();
    const killed = join(folder.path, "killed.db");
    {
      await using program = await RunningProgram.start(killed, { args: ["--log-level", "off"] });
      for (let count = 0; count < 200; count++) {
        await program.client.call("/v1/pets", { body: { name: `Animal ${count}`, categoryId: count } });
      }
      await program.signal("SIGKILL");
    }
    const [image, disk] = [join(folder.path, "image"), join(folder.path, "disk")];
    mkdirSync(disk);
    const database = join(disk, "animals.db");
    const script = `truncate -s 8M ${image} && mkfs.ext4 -q -t ext2 -b 1024 -m 0 ${image} && mount -o loop ${image} ${disk}
      for left in 10 14 18 22; do
        cp ${killed} ${database}; cp ${killed}-wal ${database}-wal
        head -c $left"k" /dev/zero > ${disk}/room; dd if=/dev/zero of=${disk}/rest bs=1k 2> /dev/null; rm ${disk}/room
        ${programInShell} keys list --json --database sqlite:${database}; echo "exit code $?"
        rm ${disk}/rest ${database}*
      done
      umount ${disk}`;
    const { stdout, stderr } = await runCommand(["unshare", "-m", "sh", "-c", script]);
    expect(stdout).toBe("exit code 2\n".repeat(4));
    expect(stderr).toBe(
      `animal-store: ${database} cannot be written: the disk is full. Free some space, then start again.\n`.repeat(4),
    );
  },
);

test.skipIf(!canMount)(`a full disk causes 507, and no acknowledged write is lost${mountSkipSuffix}`, async () => {
  using folder = temporaryFolder();
  const serve = `mount -t tmpfs -o size=600k none ${folder.path} && exec ${programInShell} serve --port 0 --log-level off --database sqlite:${join(folder.path, "animals.db")}`;
  const child = Bun.spawn(["unshare", "-rm", "sh", "-c", serve], {
    env: { ...process.env, ANIMAL_STORE_API_KEY: programKey },
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    const greeting = await new LineReader(child.stdout).until(/is ready/);
    const client = new Client(new URL(/http:\S+(?=\/v1,)/.exec(greeting)?.[0] ?? ""), programKey);
    let acknowledged = 0;
    let response: Awaited<ReturnType<Client["call"]>>;
    do {
      response = await client.call("/v1/pets", { body: { name: "x".repeat(255), categoryId: acknowledged } });
      if (response.status === 201) acknowledged++;
    } while (response.status === 201 && acknowledged < 10_000);
    expect(response.json).toEqual({
      code: "InsufficientStorage",
      message: "The store's disk is full. Nothing was saved.",
      status: 507,
    });
    let foundCount = 0;
    for await (const _ of client.walk("/v1/pets?limit=100")) foundCount++;
    expect(foundCount).toBe(acknowledged);
    expect((await client.call("/readyz")).status).toBe(200);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
});

test.skipIf(userSkipSuffix !== "")(
  `doctor and serve both report files of the store that cannot be written, and folders that cannot be created${userSkipSuffix}`,
  async () => {
    using folders = await makeClosedFolder();
    const [store, readOnly] = [join(folders.open, "animals.db"), join(folders.open, "read-only")];
    writeFileSync(`${store}-wal`, "");
    chmodSync(`${store}-wal`, 0o444);
    mkdirSync(readOnly);
    chmodSync(readOnly, 0o555);
    for (const [path, cause] of [
      [store, `${store}-wal`],
      [join(readOnly, "animals.db"), readOnly],
      [join(readOnly, "new/folder/animals.db"), readOnly],
    ]) {
      const givenArgs = ["--database", `sqlite:${path}`, "--port", "0"];
      const message = `${path} cannot be opened for writing: EACCES: permission denied, access '${cause}'`;
      const { stdout, exitCode } = await runAsOtherUser(["doctor", "--json", ...givenArgs]);
      expect(exitCode).toBe(1);
      expect(JSON.parse(stdout).diagnoses[0]).toEqual({
        about: "store",
        isWell: false,
        found: message,
        advice: "Give the user that runs this program the right to read and write the file and its folder.",
      });
      expect(await runAsOtherUser(["serve", ...givenArgs])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(`${path} cannot be opened for writing: EACCES`),
      });
    }
  },
);
