import { expect, test } from "bun:test";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { createRefetch } from "./refetch.ts";

test("a query that is invalidated while it is in flight completes, and is then fetched once more", async () => {
  const queries = new QueryClient();
  const fetches: PromiseWithResolvers<string>[] = [];
  const queryFn = () => {
    const fetch = Promise.withResolvers<string>();
    fetches.push(fetch);
    return fetch.promise;
  };
  const observer = new QueryObserver(queries, { queryKey: ["log", "all"], queryFn, initialData: "initial" });
  const shown: (string | undefined)[] = [];
  const stop = observer.subscribe(({ data }) => {
    if (data !== shown.at(-1)) shown.push(data);
  });
  fetches.shift()?.resolve("first");
  await Bun.sleep(0);
  const refetch = createRefetch(queries);
  const all = [1, 2, 3].map(() => refetch(["log"]));
  expect(fetches).toHaveLength(1);
  fetches[0]?.resolve("one change");
  await Bun.sleep(0);
  expect(fetches).toHaveLength(2);
  fetches[1]?.resolve("all changes");
  await Promise.all(all);
  expect(shown).toEqual(["initial", "first", "one change", "all changes"]);
  const laterRefetch = refetch(["log"]);
  expect(fetches).toHaveLength(3);
  fetches[2]?.resolve("a later change");
  await laterRefetch;
  stop();
  expect(queries.getQueryData<string>(["log", "all"])).toBe("a later change");
});
