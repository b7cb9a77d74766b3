import { expect, test } from "bun:test";
import { openStore } from "../../src/store/open-store.ts";
import { StoreOpenError } from "../../src/store/store.ts";
import { PostgresServer } from "../support/postgres.ts";
import { MovableAddress } from "../support/tcp-proxy.ts";

function withoutDurability(sent: Buffer): Buffer {
  const text = sent.toString("latin1");
  return Buffer.from(text.replace("synchronous_commit = remote_apply", "synchronous_commit = local       "), "latin1");
}

test("the service does not start with --replica if a pooler keeps commits from waiting for standbys", async () => {
  const { primary, standby } = await PostgresServer.startPair();
  await using _primary = primary;
  await using _standby = standby;
  const open = async (rewrite?: (sent: Buffer) => Buffer) => {
    using address = await MovableAddress.to(primary.port, rewrite);
    const urls = [`postgres://postgres@127.0.0.1:${address.port}/postgres`];
    const store = await openStore(
      { kind: "postgres", urls, schema: "animal_store", replicas: [standby.url] },
      { poolSize: 2, onDeath: () => {} },
    );
    await store.close();
  };
  await open();
  const error = await open(withoutDurability).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreOpenError);
  expect((error as Error).message).toBe(
    "--replica needs SET LOCAL synchronous_commit to work, but a pooler or proxy in front of PostgreSQL leaves it at local: a client might not find on a standby what was just saved. Connect without the pooler, or leave out --replica.",
  );
});
