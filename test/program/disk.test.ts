import { expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "../support/client.ts";
import { LineReader, mainFile, programKey } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";

/** A disk of its own needs a namespace of its own, which not every machine gives to every user. */
const canMount = Bun.spawnSync(["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /mnt"]).success;

const reason = canMount ? "" : " (skipped: this machine lets no user mount a disk)";

test.skipIf(!canMount)(`one line and exit code 2 when the disk cannot be written${reason}`, async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  const program = `${process.execPath} ${mainFile}`;
  const script = `mount -t tmpfs none ${folder.path} && ${program} keys create --name first --database sqlite:${path} >&2 &&
    mount -o remount,bind,ro ${folder.path} && ${program} serve --port 0 --database sqlite:${path}; echo "exit code $?"`;
  const child = Bun.spawn(["unshare", "-rm", "sh", "-c", script], { stdout: "pipe", stderr: "pipe" });
  expect(await child.stdout.text()).toBe("exit code 2\n");
  expect(await child.stderr.text()).toEndWith(
    `animal-store: ${path} cannot be opened for writing: EROFS: read-only file system, access '${folder.path}'.\n`,
  );
});

test.skipIf(!canMount)(`507 when the disk is full, and nothing that was acknowledged is lost${reason}`, async () => {
  using folder = temporaryFolder();
  const serve = `mount -t tmpfs -o size=600k none ${folder.path} && exec ${process.execPath} ${mainFile} serve --port 0 --log-level off --database sqlite:${join(folder.path, "animals.db")}`;
  const child = Bun.spawn(["unshare", "-rm", "sh", "-c", serve], {
    env: { ...process.env, ANIMAL_STORE_API_KEY: programKey },
    stdout: "pipe",
    stderr: "inherit",
  });
  try {
    const greeting = await new LineReader(child.stdout).until(/is ready/);
    const client = new Client(new URL(/http:\S+(?=\/v1,)/.exec(greeting)?.[0] ?? ""), programKey);
    let acknowledged = 0;
    let answer: Awaited<ReturnType<Client["call"]>>;
    do {
      answer = await client.call("/v1/pets", { body: { name: "x".repeat(255), categoryId: acknowledged } });
      if (answer.status === 201) acknowledged++;
    } while (answer.status === 201 && acknowledged < 10_000);
    expect(answer.json).toEqual({
      code: "InsufficientStorage",
      message: "The store's disk is full. Nothing was saved.",
      status: 507,
    });
    let found = 0;
    for await (const _ of client.walk("/v1/pets?limit=100")) found++;
    expect(found).toBe(acknowledged);
    expect((await client.call("/readyz")).status).toBe(200);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
});
