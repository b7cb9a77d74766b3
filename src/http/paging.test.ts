import { expect, test } from "bun:test";
import { getPet, listPets } from "../operations/pets.ts";
import { pageLinks, pageStartOf } from "./paging.ts";
import { Addresses } from "./reply/addresses.ts";

test("the pages of a list below a resource link to that resource, and its cursors belong to it alone", () => {
  const siblings = { ...listPets, id: "listSiblings", path: "/pets/:petId/siblings", params: getPet.params ?? {} };
  const addresses = new Addresses("/v1", () => 0);
  const links = pageLinks(siblings, { params: { petId: 7n }, given: { limit: 2 } }, { items: [], next: 9 }, addresses);
  const [, cursor = ""] = /cursor=([^>]+)>/.exec(links) ?? [];
  const path = "/v1/pets/7/siblings?limit=2";
  expect(links).toBe(`<${path}&cursor=${cursor}>; rel="next", <${path}>; rel="first"`);
  expect(pageStartOf(cursor, siblings, { petId: 7n }, {})).toMatchObject({ after: 9 });
  expect(pageStartOf(cursor, siblings, { petId: 8n }, {})).toBeUndefined();
});
