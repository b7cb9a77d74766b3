import { expect, test } from "bun:test";
import { join } from "node:path";
import { Client } from "../support/client.ts";
import { LineReader, mainFile, programKey } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";

/** A small disk of its own needs a namespace of its own, which not every machine gives to every user. */
const canMount = Bun.spawnSync(["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /mnt"]).success;

test.skipIf(!canMount)(
  `507 when the disk is full, and nothing that was acknowledged is lost${canMount ? "" : " (this machine lets no user mount a disk)"}`,
  async () => {
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
  },
  30_000,
);
