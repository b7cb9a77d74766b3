import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import type { PostgresAddress } from "../../src/base/database-address.ts";
import type { LoggedEvent } from "../../src/domain/event.ts";
import type { NewPet, PetStatus } from "../../src/domain/pet.ts";
import { checkStore } from "../../src/store/open-store.ts";
import { selectEvents } from "../../src/store/postgres/events/event-rows.ts";
import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Note, Store } from "../../src/store/store.ts";
import { PostgresServer } from "../support/postgres.ts";
import { RunningProgram } from "../support/program.ts";
import { pause, pauseLoad, until } from "../support/wait.ts";

const rex: NewPet = { name: "Rex", categoryId: 7, status: "available" };
const petCount = 20;
const writerCount = 16;
const roundsPerWriter = 25;

let schemaCount = 0;

const { primary, standby } = await PostgresServer.startPair();

afterAll(async () => {
  for (const server of [standby, primary]) await server?.[Symbol.asyncDispose]();
});

test("under load from 16 writers, each instance and the standby show every event once and in order", async () => {
  await using pair = await openPair();
  const { schema, one, other, instances } = pair;
  for (let id = 1; id <= petCount; id++) await one.pets.create(rex);
  await primary.run(`CREATE TABLE ${schema}.naive (number bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text)`);
  const readers = [
    new Reader((after) => readThrough(one, after)),
    new Reader((after) => readThrough(other, after)),
    new Reader((after) => readFrom(standby, schema, after)),
  ];
  const naiveReader = new NaiveReader(schema);
  let isOver = false;
  const reading = Promise.all(
    [...readers, naiveReader].map(async (reader) => {
      for (; !isOver; await pauseLoad()) await reader.readOn();
    }),
  );

  await using openTransaction = await OpenTransaction.begin(
    schema,
    `UPDATE ${schema}.pets SET name = 'Held' WHERE id = 1`,
  );
  await openTransaction.log("pets/1", { ...rex, id: 1, name: "Held" }, { name: "Rex" });
  await openTransaction.run(`INSERT INTO ${schema}.naive (name) VALUES ('late')`);
  // This lock makes writers of animal 2 wait, so that their transactions commit late.
  await using locked = await OpenTransaction.begin(schema, `SELECT 1 FROM ${schema}.pets WHERE id = 2 FOR UPDATE`);

  let doneCount = 0;
  const write = async (writer: number) => {
    const { pets, orders } = instances[writer % 2] ?? one;
    for (let round = 0; round < roundsPerWriter; round++) {
      const id = 3 + ((writer * 7 + round * 5) % (petCount - 2));
      if (round % 5 === 0) await pets.create({ ...rex, name: `Created by ${writer} in ${round}` });
      else if (round % 5 === 1) await orderAndCancel(orders, id);
      else await pets.update(id, { name: `By ${writer} in ${round}` }, undefined);
    }
    doneCount++;
  };
  const writing = Array.from({ length: writerCount }, (_, writer) => write(writer));
  const behindLock = other.pets.update(2, { name: "Behind a lock" }, undefined);
  await primary.run(`INSERT INTO ${schema}.naive (name) VALUES ('early')`);
  // The held transactions are committed after all other writes were committed and read.
  await until(() => doneCount === writerCount);
  await Promise.all(writing);
  await until(
    () =>
      naiveReader.names.includes("early") &&
      readers.every(({ events }) => events.length > (writerCount * roundsPerWriter) / 2),
  );
  await locked.commit();
  await behindLock;
  await openTransaction.commit();
  await one.pets.update(1, { name: "After it was held" }, undefined);
  const last = await one.pets.create({ ...rex, name: "Last" });
  await until(() => readers.every(({ events }) => events.some(({ subject }) => subject === `pets/${last.id}`)));
  isOver = true;
  await reading;

  const logged = await one.transfer.count(eventTable);
  for (const { events } of readers) {
    expect(events.map(({ position }) => position)).toEqual(Array.from({ length: logged }, (_, index) => index + 1));
    expect(new Set(events.map(({ id }) => id)).size).toBe(logged);
    requireConsistent(events);
    const named = events.filter(({ body }) => JSON.parse(body).data.name === "Held");
    expect(named).toHaveLength(1);
    const created = events.filter(({ type }) => type === "pet.created");
    expect(created).toHaveLength(petCount + (writerCount * roundsPerWriter) / 5 + 1);
  }
  for (const { items } of [await one.pets.list({}, { limit: 1000 })]) {
    const byLog = replayAnimals(readers[0]?.events ?? []);
    expect(items).toEqual(items.map(({ id }) => byLog.get(id) as never));
  }
  // The naive reader has missed the late row, because its number is lower than that of the early row, which was read before.
  await naiveReader.readOn();
  expect(naiveReader.names).toEqual(["early"]);
  const rows = await primary.run<{ name: string }>(`SELECT name FROM ${schema}.naive ORDER BY number`);
  expect(rows.map(({ name }) => name)).toEqual(["late", "early"]);
});

test("an event that is committed after thousands of events with higher numbers is logged before its animal's next event", async () => {
  await using pair = await openPair();
  const { schema, one } = pair;
  const animals = [1, 2, 3, 4];
  for (const _ of animals) await one.pets.create(rex);
  const openTransactions: OpenTransaction[] = [];
  await using open = new AsyncDisposableStack();
  for (const id of animals) {
    const begun = await OpenTransaction.begin(schema, `UPDATE ${schema}.pets SET status = 'pending' WHERE id = ${id}`);
    const transaction = open.use(begun);
    await transaction.log(`pets/${id}`, { ...rex, id, status: "pending" }, { status: "available" });
    openTransactions.push(transaction);
  }
  const sequence = `pg_get_serial_sequence('${schema}.event_inbox', 'number')`;
  for (const [index, transaction] of openTransactions.entries()) {
    await primary.run(`SELECT setval(${sequence}, nextval(${sequence}) + 20000)`);
    const before = await one.transfer.count(eventTable);
    await one.pets.create(rex);
    await until(async () => (await readNewestPosition(one)) > before);
    await transaction.commit();
    await one.pets.update(index + 1, { status: "sold" }, undefined);
  }
  const events = await readLog(one);
  for (const id of animals) {
    const states = events
      .filter(({ subject }) => subject === `pets/${id}`)
      .map(({ body }) => JSON.parse(body).data.status);
    expect(states).toEqual(["available", "pending", "sold"]);
  }
  requireConsistent(events);
});

test("two instances that append at the same time use no position twice and create no animal twice", async () => {
  await using pair = await openPair();
  const { schema, one } = pair;
  await one.pets.create(rex);
  await one.transfer.count(eventTable);
  // Simulates an instance that holds the lock, and has read the event log before the first event was logged.
  await using openTransaction = await OpenTransaction.begin(schema, appendEvent(schema, 2));
  const creating = Promise.all(Array.from({ length: 5 }, () => one.pets.create(rex)));
  await until(async () => (await primary.run("SELECT 1 FROM pg_locks WHERE NOT granted")).length > 0);
  await openTransaction.commit();
  const created = await creating;
  const events = await readLog(one);
  expect(events.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(events.slice(2).map(({ subject }) => subject)).toEqual(created.map(({ id }) => `pets/${id}`));
  expect((await one.pets.list({}, { limit: 100 })).items).toHaveLength(6);
});

test("the primary waits for an append in progress before it reports that an event does not exist", async () => {
  await using pair = await openPair();
  const { schema, one } = pair;
  await one.pets.create(rex);
  await one.transfer.count(eventTable);
  // Simulates an append that waits for a standby which already shows the event.
  await using openTransaction = await OpenTransaction.begin(schema, `${lockLog(schema)}; ${appendEvent(schema, 2)}`);
  const reading = Promise.all([one.events.idAt(2), one.events.readBackwards({}, 2, 10)]);
  let isSettled = false;
  reading.finally(() => {
    isSettled = true;
  });
  const waitingQuery = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
  await until(async () => isSettled || (await primary.run(waitingQuery)).length === 2);
  await openTransaction.commit();
  const [id, events] = await reading;
  expect([id, events.map(({ position }) => position)]).toEqual(["evt_2", [2, 1]]);
});

test("the events of animals that are created together are one row of the event log, unless another instance got ids in between", async () => {
  await using pair = await openPair();
  const { schema, one } = pair;
  const readSizes = async () =>
    (await primary.run<{ size: number }>(`SELECT size FROM ${schema}.events ORDER BY position`)).map(
      ({ size }) => size,
    );
  const addTogether = () => Promise.all(Array.from({ length: 10 }, () => one.pets.create(rex)));
  await until(async () => {
    await addTogether();
    return (await readSizes()).some((size) => size > 1);
  });
  const rowsBefore = (await readSizes()).length;
  await primary.run(`ALTER SEQUENCE ${schema}.pets_id_seq INCREMENT BY 2`);
  const ids = (await Promise.all([addTogether(), addTogether()])).flat().map(({ id }) => id);
  const count = await one.transfer.count(eventTable);
  expect((await readSizes()).slice(rowsBefore)).toEqual(ids.map(() => 1));
  const events = await readThrough(one, 0);
  expect(events).toHaveLength(count);
  expect(events.slice(-ids.length).map(({ subject }) => subject)).toEqual(ids.map((id) => `pets/${id}`));
  for (const { body, subject } of events) expect(`pets/${JSON.parse(body).data.id}`).toBe(subject);
  await until(async () => (await readFrom(standby, schema, 0)).length === events.length);
  expect(await readFrom(standby, schema, 0)).toEqual(events);
  const address: PostgresAddress = { kind: "postgres", urls: [primary.url], schema, replicas: [] };
  const findings = await checkStore(address, { shouldReplay: true });
  expect(findings.flatMap(({ problem }) => problem ?? [])).toEqual([]);
});

test("a reader of an event log with a gap gets the events after the gap", async () => {
  await using pair = await openPair();
  const { schema, one } = pair;
  for (let round = 0; round < 6; round++) await one.pets.createAll(Array.from({ length: 50 }, () => rex));
  await one.transfer.count(eventTable);
  await primary.run(`DELETE FROM ${schema}.events WHERE position > 10 AND position < 251`);
  const remaining = (await readFrom(primary, schema, 0)).map(({ position }) => position);
  expect(remaining.at(-1)).toBe(300);
  for (const after of [0, 5, 20, 60, 230, 299]) {
    for (const limit of [1, 20, 100]) {
      const { events } = await one.events.read({}, after, limit);
      expect(events.map(({ position }) => position)).toEqual(
        remaining.filter((position) => position > after).slice(0, limit),
      );
    }
  }
});

test("an earlier program, which reads each row of the event log as one event, cannot append to the event log", async () => {
  await using pair = await openPair();
  const { schema } = pair;
  const append = primary.run(
    `INSERT INTO ${schema}.events (position, id, type, subject, at, body) VALUES (1, 'evt_1', 'pet.created', 'pets/1', 1, '{}')`,
  );
  expect(await append.catch((error: Error) => error.message)).toContain('null value in column "size"');
});

test("events that happen before an animal is created precede the event of that animal in the event log, whatever their type", async () => {
  await using pair = await openPair();
  const { one, other } = pair;
  const expected: string[] = [];
  for (let round = 1; round <= 30; round++) {
    await other.categories.put({ id: round, name: `Category ${round}` }, undefined);
    const { id } = await one.pets.create(rex);
    expected.push(`categories/${round}`, `pets/${id}`);
  }
  expect((await readLog(one)).map(({ subject }) => subject)).toEqual(expected);
});

test("creating an animal first moves the waiting events of the inbox into the event log, and then appends its own event", async () => {
  await using pair = await openPair();
  const { schema, one } = pair;
  let round = 0;
  await until(async () => {
    const subject = `categories/${++round}`;
    await queueEvent(schema, round, subject);
    const { id } = await one.pets.create(rex);
    const logged = await primary.run<{ subject: string }>(
      `SELECT subject FROM ${schema}.events WHERE xmin = (SELECT xmin FROM ${schema}.pets WHERE id = ${id}) ORDER BY position`,
    );
    return logged.map((event) => event.subject).join() === `${subject},pets/${id}`;
  });
  expect(await one.transfer.count(eventTable)).toBe(2 * round);
});

test("an event in the inbox gets a position before the event of the next created animal, even if the inbox was repeatedly empty before", async () => {
  await using pair = await openPair();
  const { schema, one } = pair;
  const expected: string[] = [];
  for (let round = 1; round <= 10; round++) {
    for (let time = 1; time <= 3; time++) expected.push(`pets/${(await one.pets.create(rex)).id}`);
    await queueEvent(schema, round, `categories/${round}`);
    expected.push(`categories/${round}`, `pets/${(await one.pets.create(rex)).id}`);
  }
  expect((await readLog(one)).map(({ subject }) => subject)).toEqual(expected);
});

test("animals can be created while another instance appends an event, and their events follow that event", async () => {
  await using pair = await openPair();
  const { schema, one } = pair;
  const expected: string[] = [];
  for (let time = 1; time <= 3; time++) expected.push(`pets/${(await one.pets.create(rex)).id}`);
  await one.transfer.count(eventTable);
  {
    await using openTransaction = await OpenTransaction.begin(schema, `${lockLog(schema)}; ${appendEvent(schema, 4)}`);
    const added = [await one.pets.create(rex), ...(await one.pets.createAll([rex, rex]))];
    await openTransaction.commit();
    expected.push("pets/99", ...added.map(({ id }) => `pets/${id}`));
  }
  expect((await readLog(one)).map(({ subject }) => subject)).toEqual(expected);
  expect((await one.pets.list({}, { limit: 100 })).items).toHaveLength(6);
});

test("a create that waits for a lock does not keep other events out of the event log", async () => {
  await using pair = await openPair();
  const { schema, one, other } = pair;
  // Closes the other instance, which could otherwise move the events.
  await other.close();
  await using openTransaction = await OpenTransaction.begin(schema, `LOCK TABLE ${schema}.pets IN SHARE MODE`);
  const adding = one.pets.create(rex);
  await until(async () => (await primary.run("SELECT 1 FROM pg_locks WHERE NOT granted")).length > 0);
  await one.categories.put({ id: 7, name: "Dogs" }, undefined);
  await until(async () => (await readThrough(one, 0)).length === 1);
  await openTransaction.commit();
  await adding;
  expect((await readLog(one)).map(({ position, type }) => [position, type])).toEqual([
    [1, "category.named"],
    [2, "pet.created"],
  ]);
  await one.close();
  pair.isClosed = true;
});

test("thousands of inbox events are logged before the event of the next created animal", async () => {
  await using pair = await openPair();
  const { schema, one } = pair;
  await primary.run(
    `INSERT INTO ${schema}.event_inbox (id, type, subject, at, body)
     SELECT 'evt_' || id, 'category.named', 'categories/' || id, 1, '{}' FROM generate_series(1, 3000) AS id`,
  );
  const { id } = await one.pets.create(rex);
  const subjects = (await readLog(one)).map(({ subject }) => subject);
  expect(subjects).toEqual([...Array.from({ length: 3000 }, (_, index) => `categories/${index + 1}`), `pets/${id}`]);
});

test("after programs were killed, another instance logs each of their events once", async () => {
  await using pair = await openPair();
  const { schema, one } = pair;
  const url = `${primary.url}?schema=${schema}`;
  const acknowledged = new Map<number, string>();
  for (let kill = 0; kill < 3; kill++) {
    await using program = await RunningProgram.start(url, { args: ["--log-level", "off"] });
    const enough = Promise.withResolvers<void>();
    const before = acknowledged.size;
    const write = async (writer: number) => {
      for (let round = 0; ; round++) {
        const name = `kill ${kill}, writer ${writer}, round ${round}`;
        const { status, json } = await program.client.call("/v1/pets", { body: { ...rex, name } });
        expect(status).toBe(201);
        acknowledged.set((json as { id: number }).id, name);
        if (acknowledged.size - before > 40 + kill * 7) enough.resolve();
      }
    };
    const ended = Promise.allSettled(Array.from({ length: writerCount }, (_, writer) => write(writer)));
    await Promise.race([enough.promise, ended]);
    await program.signal("SIGKILL");
    for (const outcome of await ended) {
      if (outcome.status === "rejected" && !/socket|connect|closed/i.test(String(outcome.reason))) throw outcome.reason;
    }
  }
  // A create that was in flight when its program was killed has either an animal and an event, or neither.
  let stored: { id: string; name: string }[] = [];
  let events: Awaited<ReturnType<typeof readThrough>> = [];
  await until(async () => {
    events = await readThrough(one, 0);
    stored = await primary.run(`SELECT id, name FROM ${schema}.pets ORDER BY id`);
    return events.length === stored.length;
  });
  expect(events.map(({ position }) => position)).toEqual(stored.map((_, index) => index + 1));
  const logged = new Map(events.map(({ body }) => JSON.parse(body).data).map(({ id, name }) => [id, name]));
  expect(logged).toEqual(new Map(stored.map(({ id, name }) => [Number(id), name])));
  for (const [id, name] of acknowledged) expect(logged.get(id)).toBe(name);
});

test("an event in the inbox reaches the event log even if no instance writes anything", async () => {
  await using pair = await openPair();
  const { schema, one } = pair;
  await queueEvent(schema, 1, "categories/1");
  await until(async () => (await readNewestPosition(one)) === 1);
});

test("after a restart of PostgreSQL, an event is logged even if its inbox number is lower than those of earlier events", async () => {
  await using server = await PostgresServer.start();
  const store = await open({ kind: "postgres", urls: [server.url], schema: "store", replicas: [] });
  const readSubjects = async () => (await readThrough(store, 0)).map(({ subject }) => subject);
  const nameCategory = async (round: number) => {
    await store.categories.put({ id: 7, name: `Dogs ${round}` }, undefined);
    await until(async () => (await readSubjects()).filter((subject) => subject === "categories/7").length === round);
  };
  await nameCategory(1);
  let round = 1;
  // Repeats until the sequencer considers the number 1 as done, and ignores the event.
  await until(async () => {
    round++;
    await server.run(
      `INSERT INTO store.event_inbox (number, id, type, subject, at, body) OVERRIDING SYSTEM VALUE
       VALUES (1, 'evt_${round}', 'category.named', 'categories/again_${round}', 1, '{}')`,
    );
    await nameCategory(round);
    return (await server.run("SELECT 1 FROM store.event_inbox")).length === 1;
  });
  await server.stop();
  await server.start();
  const created = await createWithRetries(store);
  await store.transfer.count(eventTable);
  expect((await readSubjects()).slice(-2)).toEqual([`categories/again_${round}`, `pets/${created}`]);
  await store.close();
});

test("after a crash of PostgreSQL, events that get the same inbox numbers as lost events are logged in order", async () => {
  // With these settings, only commits flush the WAL.
  await using server = await PostgresServer.start({
    autovacuum: "off",
    checkpoint_timeout: "1h",
    fsync: "off",
    max_wal_senders: "0",
    wal_level: "minimal",
    wal_writer_delay: "10s",
  });
  const address: PostgresAddress = { kind: "postgres", urls: [server.url], schema: "store", replicas: [] };
  const store = await open(address);
  const { id } = await store.pets.create(rex);
  const readSequence = async () => {
    const [row] = await server.run<{ last: string; logged: string }>(
      "SELECT last_value AS last, log_cnt AS logged FROM store.event_inbox_number_seq",
    );
    return { last: Number(row?.last), logged: Number(row?.logged) };
  };
  const untilNextPass = async () => {
    const [now] = await server.run<{ at: string }>("SELECT clock_timestamp()::text AS at");
    await until(async () => {
      const passesQuery = `SELECT 1 FROM pg_stat_activity WHERE query = 'COMMIT' AND state = 'idle' AND query_start > '${now?.at}'`;
      return (await server.run(passesQuery).catch(() => [])).length > 0;
    });
  };
  let round = 0;
  const rename = () => store.pets.update(id, { name: `Rex ${++round}` }, undefined);
  // Repeats until the next number makes the server write the state of the sequence to the WAL.
  await until(async () => {
    await rename();
    return (await readSequence()).logged === 0;
  });
  await store.transfer.count(eventTable);
  const before = await readSequence();
  const writer = new SQL({ url: server.url, max: 1 });
  await writer.unsafe("BEGIN");
  const [killed] = await writer.unsafe<{ pid: number }[]>(
    `WITH logged AS (
       INSERT INTO store.event_inbox (id, type, subject, at, body)
       SELECT 'evt_' || round, 'category.named', 'categories/1', 1, '{}' FROM generate_series(1, 2) AS round
     ) SELECT pg_backend_pid() AS pid`,
  );
  // Waits for three passes: the first may have begun before the insert, and the second may move only the event of the last write.
  for (let time = 0; time < 3; time++) await untilNextPass();
  expect((await readSequence()).last).toBe(before.last + 2);
  process.kill(killed?.pid ?? 0, "SIGKILL");
  await writer.close({ timeout: 0 }).catch(() => {});
  const sessionQuery = `SELECT 1 FROM pg_stat_activity WHERE pid = ${killed?.pid}`;
  await until(async () => (await server.run(sessionQuery).catch(() => [1])).length === 0);
  expect((await readSequence()).last).toBe(before.last);
  await untilNextPass();
  for (let time = 0; time < 3; time++) await rename();
  const count = await store.transfer.count(eventTable);
  const events = await readThrough(store, 0);
  expect([count, events.length]).toEqual([round + 1, round + 1]);
  requireConsistent(events);
  expect((await checkStore(address, { shouldReplay: true })).flatMap(({ problem }) => problem ?? [])).toEqual([]);
  await store.close();
});

/** A deadline that is far longer than any work takes, except work that waits for a lost standby. */
const shortDeadline = { limitMilliseconds: 2_000 };

test("while commits wait for a lost standby, no event is logged, and each instance warns once and keeps few sessions open", async () => {
  await using pair = await openPair(shortDeadline);
  const { schema, one, instances } = pair;
  await one.pets.create(rex);
  await until(async () => (await readNewestPosition(one)) === 1);
  // One of two concurrent creates finds that the other create is appending to the event log, and puts its own event into the inbox.
  const createTwo = () => Promise.allSettled(instances.map(({ pets }) => pets.create(rex)));
  const warningCounts = () =>
    pair.notes.map((notes) => notes.filter((note) => note === "events could not be moved into the log").length);
  {
    using _ = standby.freeze();
    // If the wait for the standby is cancelled, the create stays committed on the primary, but a failover could lose its events.
    await until(async () => {
      await createTwo();
      return warningCounts().some((count) => count > 0);
    });
    for (let round = 0; round < 3; round++) await createTwo();
    // Only one session that appends and one session of the other instance that tries to append have open transactions.
    await until(async () => (await sessionsInTransaction(schema)) <= instances.length);
    expect(await readFrom(primary, schema, 0)).toHaveLength(1);
  }
  await until(async () => (await sessionsInTransaction(schema)) === 0);
  expect(Math.max(...warningCounts())).toBe(1);
  const last = await createWithRetries(one);
  await until(async () => (await readThrough(one, 0)).some(({ subject }) => subject === `pets/${last}`));
  const events = await readThrough(one, 0);
  const { items } = await one.pets.list({}, { limit: 1000 });
  expect(events.map(({ subject }) => subject).toSorted()).toEqual(items.map(({ id }) => `pets/${id}`).toSorted());
  await until(async () => (await readFrom(standby, schema, 0)).length === events.length);
  expect(await readFrom(standby, schema, 0)).toEqual(events);
});

test("a store can be closed while its commits are waiting for a lost standby", async () => {
  await using pair = await openPair(shortDeadline);
  const { instances } = pair;
  await instances[0].pets.create(rex);
  {
    using _ = standby.freeze();
    await instances[0].pets.create(rex).catch(() => {});
    await Promise.all(instances.map((store) => store.close()));
  }
  pair.isClosed = true;
});

test("after a failover, the event log has the event of every acknowledged write, and uses no position twice", async () => {
  const pair = await PostgresServer.startPair();
  await using old = pair.primary;
  await using successor = pair.standby;
  const urls = [old.url, successor.url];
  const address: PostgresAddress = { kind: "postgres", urls, schema: "store", replicas: [] };
  // With this deadline, statements that hang on the old primary fail.
  const options = { limitMilliseconds: 4_000 };
  const stores = [await open(address, options), await open(address, options)] as const;
  const acknowledged: number[] = [];
  let isOver = false;
  // The writers ignore errors, and must stop even if the test fails.
  using over = new DisposableStack();
  over.defer(() => {
    isOver = true;
  });
  const writing = Array.from({ length: writerCount }, async (_, writer) => {
    const { pets } = stores[writer % 2] ?? stores[0];
    while (!isOver) {
      await pets.create(rex).then(
        ({ id }) => acknowledged.push(id),
        () => pause(),
      );
    }
  });
  const untilMore = async (count: number) => {
    const expectedCount = acknowledged.length + count;
    await until(() => acknowledged.length >= expectedCount);
  };
  await untilMore(200);
  await until(async () => (await readNewestPosition(stores[0])) > 100);
  const before = await readFrom(successor, "store", 0);
  await old.kill();
  await successor.promote();
  await untilMore(200);
  isOver = true;
  await Promise.all(writing);
  await stores[0].transfer.count(eventTable);
  const events = await readThrough(stores[1], 0);
  expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1));
  expect(events.slice(0, before.length)).toEqual([...before]);
  expect(new Set(events.map(({ subject }) => subject)).size).toBe(events.length);
  const logged = new Set(events.map(({ subject }) => subject));
  for (const id of acknowledged) expect(logged.has(`pets/${id}`)).toBe(true);
  for (const store of stores) await store.close();
});

interface Pair extends AsyncDisposable {
  readonly schema: string;
  readonly one: Store;
  readonly other: Store;
  readonly instances: readonly [Store, Store];
  readonly notes: readonly [string[], string[]];
  isClosed: boolean;
}

async function openPair(options: { limitMilliseconds?: number } = {}): Promise<Pair> {
  const schema = `pair_${schemaCount++}`;
  const address: PostgresAddress = { kind: "postgres", urls: [primary.url], schema, replicas: [] };
  const notes: Pair["notes"] = [[], []];
  const openWith = (messages: string[]) => open(address, { ...options, note: (_, message) => messages.push(message) });
  const instances = [await openWith(notes[0]), await openWith(notes[1])] as const;
  const pair: Pair = {
    schema,
    one: instances[0],
    other: instances[1],
    instances,
    notes,
    isClosed: false,
    async [Symbol.asyncDispose]() {
      if (!pair.isClosed) for (const store of instances) await store.close();
    },
  };
  return pair;
}

function open(address: PostgresAddress, options: { note?: Note; limitMilliseconds?: number } = {}): Promise<Store> {
  // The deadline is long enough for a busy machine. Tests about deadlines set a shorter one.
  return openPostgresStore(address, { poolSize: 10, onDeath() {}, limitMilliseconds: 60_000, ...options });
}

/** A transaction of another session that stays open until `commit`. */
class OpenTransaction implements AsyncDisposable {
  private constructor(
    readonly schema: string,
    readonly sql: SQL,
  ) {}

  static async begin(schema: string, text: string): Promise<OpenTransaction> {
    const transaction = new OpenTransaction(schema, new SQL({ url: primary.url, max: 1 }));
    await transaction.run("BEGIN");
    await transaction.run(text);
    return transaction;
  }

  async run(text: string): Promise<void> {
    await this.sql.unsafe(text);
  }

  async log(subject: string, data: object, previous: object): Promise<void> {
    const id = `evt_held_${subject}`;
    const body = JSON.stringify({ id, type: "pet.updated", subject, data, previous });
    await this.run(
      `INSERT INTO ${this.schema}.event_inbox (id, type, subject, at, body) VALUES ('${id}', 'pet.updated', '${subject}', 1, '${body}')`,
    );
  }

  commit(): Promise<void> {
    return this.run("COMMIT");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sql.close();
  }
}

class Reader {
  readonly events: LoggedEvent[] = [];
  constructor(readonly read: (after: number) => Promise<readonly LoggedEvent[]>) {}

  async readOn(): Promise<void> {
    this.events.push(...(await this.read(this.events.at(-1)?.position ?? 0)));
  }
}

class NaiveReader {
  readonly names: string[] = [];
  #last = "0";
  constructor(readonly schema: string) {}

  async readOn(): Promise<void> {
    const rows = await primary.run<{ number: string; name: string }>(
      `SELECT number, name FROM ${this.schema}.naive WHERE number > ${this.#last} ORDER BY number`,
    );
    this.names.push(...rows.map(({ name }) => name));
    this.#last = rows.at(-1)?.number ?? this.#last;
  }
}

/** Reads the whole event log once all events have left the inbox. */
async function readLog(store: Store): Promise<readonly LoggedEvent[]> {
  await store.transfer.count(eventTable);
  return await readThrough(store, 0);
}

async function readThrough({ events }: Store, after: number): Promise<readonly LoggedEvent[]> {
  const all: LoggedEvent[] = [];
  for (;;) {
    const page = (await events.read({}, all.at(-1)?.position ?? after, 500)).events;
    all.push(...page);
    if (page.length < 500) return all;
  }
}

const lockLog = (schema: string) =>
  `SELECT pg_advisory_xact_lock(hashtext('animal-store events'), hashtext('"${schema}".events'))`;

const appendEvent = (schema: string, position: number) =>
  `INSERT INTO ${schema}.events (position, size, id, type, subject, at, body)
   VALUES (${position}, 1, 'evt_${position}', 'pet.created', 'pets/99', 1, '{}')`;

async function queueEvent(schema: string, number: number, subject: string): Promise<void> {
  await primary.run(
    `INSERT INTO ${schema}.event_inbox (id, type, subject, at, body) VALUES ('evt_${number}', 'category.named', '${subject}', 1, '{}')`,
  );
}

async function readFrom(server: PostgresServer, schema: string, after: number): Promise<readonly LoggedEvent[]> {
  const rows = await server.run<LoggedEvent>(
    `SELECT position::int, id, type, subject, body FROM (${selectEvents(`${schema}.events`)}) AS events
     WHERE position > ${after} ORDER BY position`,
  );
  return rows.map(({ position, id, type, subject, body }) => ({ position, id, type, subject, body }));
}

async function readNewestPosition({ events }: Store): Promise<number> {
  return (await events.ends())?.newest.position ?? 0;
}

/** Requires that the previous state in each event is the state after the preceding event of its subject. */
function requireConsistent(events: readonly LoggedEvent[]): void {
  const known = new Map<string, Record<string, unknown>>();
  for (const { subject, body } of events) {
    const { data, previous } = JSON.parse(body) as { data: Record<string, unknown>; previous: object | null };
    const before = known.get(subject);
    expect({ subject, isNew: previous === null }).toEqual({ subject, isNew: before === undefined });
    if (before) expect({ ...data, ...previous }).toEqual(before);
    known.set(subject, data);
  }
}

function replayAnimals(events: readonly LoggedEvent[]): Map<number, { id: number; status: PetStatus }> {
  const animals = new Map<number, { id: number; status: PetStatus }>();
  for (const { subject, body } of events) {
    if (!subject.startsWith("pets/")) continue;
    const { data } = JSON.parse(body);
    animals.set(data.id, data);
  }
  return animals;
}

/** Orders the animal and cancels the order, unless the animal already has an open order. */
async function orderAndCancel({ place, close }: Store["orders"], petId: number): Promise<void> {
  const order = await place({ petId }, 1_000).catch(() => undefined);
  if (order) await close(order.id, "cancelled", 2_000);
}

async function sessionsInTransaction(schema: string): Promise<number> {
  const rows = await primary.run(
    `SELECT DISTINCT pid FROM pg_locks JOIN pg_class ON pg_class.oid = relation WHERE relnamespace = '${schema}'::regnamespace`,
  );
  return rows.length;
}

async function createWithRetries({ pets }: Store): Promise<number> {
  for (;;) {
    const created = await pets.create(rex).catch(() => undefined);
    if (created) return created.id;
    await pause();
  }
}

const eventTable = { name: "events", title: "", columns: [], identity: [], assignsIds: false };
