import { expect, test } from "bun:test";
import { getPet } from "../operations/pets/get-pet.ts";
import { listPets } from "../operations/pets/list-pets.ts";
import { formatPageLinks, parsePageCursor } from "./paging.ts";
import { UrlBuilder } from "./response/url-builder.ts";

test("the pages of a resource's list are linked, and a cursor of that list is not valid for another resource", () => {
  const siblings = { ...listPets, id: "listSiblings", path: "/pets/:petId/siblings", params: getPet.params ?? {} };
  const urls = new UrlBuilder("/v1", () => 0);
  const links = formatPageLinks(siblings, { params: { petId: 7n }, given: { limit: 2 } }, { items: [], next: 9 }, urls);
  const [, cursor = ""] = /cursor=([^>]+)>/.exec(links) ?? [];
  const path = "/v1/pets/7/siblings?limit=2";
  expect(links).toBe(`<${path}&cursor=${cursor}>; rel="next", <${path}>; rel="first"`);
  expect(parsePageCursor(cursor, siblings, { petId: 7n }, {})).toMatchObject({ after: 9 });
  expect(parsePageCursor(cursor, siblings, { petId: 8n }, {})).toBeUndefined();
});
