import { expect, test } from "bun:test";
import { Call } from "../../packages/client/src/call.ts";
import { List } from "../../packages/client/src/list.ts";
import type { Input, Sender } from "../../packages/client/src/sender.ts";

test("the client requests every page of a nested list with the path parameters of the first page", async () => {
  const requested: Input[] = [];
  const sender = {
    call(_: string, input: Input) {
      requested.push(input);
      const link = requested.length === 1 ? '</v1/pets/7/siblings?cursor=abc>; rel="next"' : "";
      return new Call(Promise.resolve({ data: [requested.length], headers: new Headers({ Link: link }) } as never));
    },
  } as unknown as Sender;
  const path = { petId: 7 };
  expect(await new List(sender, "listPets", { path, query: { limit: 1 } }, {}).toArray()).toEqual([1, 2] as never);
  expect(requested).toEqual([
    { path, query: { limit: 1 } },
    { path, query: { limit: 1, cursor: "abc" } },
  ]);
});
