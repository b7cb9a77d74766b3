import { expect, test } from "bun:test";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { Rereads } from "./rereads.ts";

test("what changes while it is read is read to its end, and then once more", async () => {
  const queries = new QueryClient();
  const reads: PromiseWithResolvers<string>[] = [];
  const queryFn = () => {
    const read = Promise.withResolvers<string>();
    reads.push(read);
    return read.promise;
  };
  const observer = new QueryObserver(queries, { queryKey: ["log", "of all"], queryFn, initialData: "before" });
  const shown: (string | undefined)[] = [];
  const stop = observer.subscribe(({ data }) => {
    if (data !== shown.at(-1)) shown.push(data);
  });
  reads.shift()?.resolve("at first");
  await Bun.sleep(0);
  const rereads = new Rereads(queries);
  const all = [1, 2, 3].map(() => rereads.read(["log"]));
  expect(reads).toHaveLength(1);
  reads[0]?.resolve("of the first change");
  await Bun.sleep(0);
  expect(reads).toHaveLength(2);
  reads[1]?.resolve("of all changes");
  await Promise.all(all);
  expect(shown).toEqual(["before", "at first", "of the first change", "of all changes"]);
  const later = rereads.read(["log"]);
  expect(reads).toHaveLength(3);
  reads[2]?.resolve("of a later change");
  await later;
  stop();
  expect(queries.getQueryData<string>(["log", "of all"])).toBe("of a later change");
});
