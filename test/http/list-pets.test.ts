import { afterAll, expect, test } from "bun:test";
import { encodeCursor } from "../../src/domain/page-cursor.ts";
import { type CheckedResponse, linkOf, nextPageOf } from "../support/client.ts";
import { startService } from "../support/service.ts";
import { testWith } from "../support/test-with.ts";

const it = testWith(() => startService());

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());
await service.database.fill(250);

const list = (query = "") => service.client.call(`/v1/pets${query}`);

const fetchIds = async (query: string) =>
  (await Array.fromAsync(service.client.walk(`/v1/pets?${query}`))).map(({ id }) => id);

test("listPets returns 20 animals, ascending by id, by default", async () => {
  const animals = (await list()).json as { id: number }[];
  expect(animals.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
});

test.each([1, 7, 100])("limit=%d returns a page of that size", async (limit) => {
  expect((await list(`?limit=${limit}`)).json).toHaveLength(limit);
});

test.each(["0", "101", "-1", "1.5", "1e1", "ten", "", "%201", "1%00", "9223372036854775808", "007", "+5", "%zz"])(
  "listPets returns 400 for limit=%s",
  async (limit) => {
    const response = await list(`?limit=${limit}`);
    expect(response.json).toEqual({
      code: "BadRequest",
      message: "limit must be an integer from 1 to 100.",
      status: 400,
    });
  },
);

test.each(["available", "pending", "sold"])("status=%s returns only animals with that status", async (status) => {
  const animals = (await list(`?status=${status}&limit=100`)).json as { status: string }[];
  expect(animals.length).toBeGreaterThan(50);
  expect(new Set(animals.map((animal) => animal.status))).toEqual(new Set([status]));
});

test.each(["", "Sold", "none", "%73old%20"])("listPets returns 400 for status=%s", async (status) => {
  const response = await list(`?status=${status}`);
  expect(response.json).toMatchObject({ message: "status must be one of available, pending, sold.", status: 400 });
});

test.each([
  "limit=5&limit=5",
  "status=sold&status=sold",
  "id=1&id=2",
  "categoryId=1&categoryId=1",
  "cursor=a&cursor=a",
])("listPets returns 400 for the repeated parameter in %s", async (query) => {
  const response = await list(`?${query}`);
  expect(response.status).toBe(400);
  expect((response.json as { message: string }).message).toContain(`${query.split("=")[0]} must be given only once.`);
});

test("a 400 response lists every wrong parameter", async () => {
  const { message } = (await list("?limit=x&status=x&id=x&categoryId=x")).json as { message: string };
  for (const name of ["limit", "status", "id", "categoryId"]) expect(message).toContain(`${name} must be`);
  const other = (await list("?limit=x&cursor=x")).json as { message: string };
  for (const name of ["limit", "cursor"]) expect(other.message).toContain(`${name} must be`);
});

test("id= returns an array with the animal, or an empty one", async () => {
  expect((await list("?id=12")).json).toMatchObject([{ id: 12 }]);
  expect((await list("?id=251")).json).toEqual([]);
  expect((await list("?id=-9223372036854775808")).json).toEqual([]);
  expect((await list("?id=12&status=sold&categoryId=1")).json).toEqual([]);
  expect(nextPageOf(await list("?id=12"))).toBeUndefined();
});

test.each(["sold,", ",sold", "sold,Pending", "sold;pending,sold", "sold,,pending"])(
  "listPets returns 400 for the malformed list status=%s",
  async (status) => {
    expect((await list(`?status=${status}`)).json).toMatchObject({
      message: "status must be one of available, pending, sold, or up to 3 of them separated by commas.",
      status: 400,
    });
  },
);

test("a list filtered by several values of status or id has each matching animal once, by id", async () => {
  const all = (await Array.fromAsync(service.client.walk("/v1/pets?limit=100"))) as unknown as {
    id: number;
    status: string;
    categoryId: number;
  }[];
  const isOneOf = (statuses: string) => (animal: { status: string }) => statuses.split(",").includes(animal.status);
  for (const statuses of ["sold,available", "pending,sold,sold", "pending,available,sold"]) {
    const matching = all.filter(isOneOf(statuses));
    expect(await fetchIds(`limit=40&status=${statuses}`)).toEqual(matching.map(({ id }) => id));
    expect(await fetchIds(`limit=40&status=${statuses}&sort=-id`)).toEqual(matching.map(({ id }) => id).toReversed());
    expect(await fetchIds(`limit=40&status=${statuses}&categoryId=3`)).toEqual(
      matching.filter(({ categoryId }) => categoryId === 3).map(({ id }) => id),
    );
  }
  const hundred = Array.from({ length: 100 }, (_, index) => 3 * index + 1);
  const matchingIds = hundred.filter((id) => id <= 250);
  expect(await fetchIds(`limit=40&id=${hundred.toReversed().join()}`)).toEqual(matchingIds);
  expect(await fetchIds(`limit=40&id=${hundred.join()}&sort=-id`)).toEqual(matchingIds.toReversed());
  expect(await fetchIds(`limit=40&id=${hundred.join()}&status=sold,pending`)).toEqual(
    all.filter((animal) => matchingIds.includes(animal.id) && isOneOf("sold,pending")(animal)).map(({ id }) => id),
  );
  expect(await fetchIds("limit=40&id=7,7,-9223372036854775808,5,9223372036854775807")).toEqual([5, 7]);
});

test("a list of more than 100 ids, or with an invalid id, gets 400", async () => {
  const ids = Array.from({ length: 101 }, (_, index) => index + 1);
  for (const wrong of [ids.join(), "1,x", "1,", "1,9223372036854775808", "1, 2"]) {
    expect((await list(`?id=${encodeURIComponent(wrong)}`)).json).toMatchObject({
      message:
        "id must be an integer from -9223372036854775808 to 9223372036854775807, or up to 100 of them separated by commas.",
      status: 400,
    });
  }
  expect((await list(`?id=${[...ids.slice(0, 100), ...ids.slice(0, 100)].join()}&limit=100`)).json).toHaveLength(100);
});

test("a list by one id has the ETag of its animal, even if the id is repeated; a list by several ids has its own", async () => {
  const fetchEtag = async (query: string) => (await list(query)).headers.get("etag");
  const etagOfPet = await fetchEtag("?id=12");
  expect(await fetchEtag("?id=12,12")).toBe(etagOfPet);
  expect(await fetchEtag("?id=12,999999")).not.toBe(etagOfPet);
  const { headers } = await list("?id=12,999999");
  const unchanged = await service.client.call("/v1/pets?id=999999,12", {
    headers: { "if-none-match": headers.get("etag") ?? "" },
  });
  expect(unchanged.status).toBe(304);
});

test("categoryId= returns only animals of that category, alone and combined with a status", async () => {
  const animals = (await list("?categoryId=3&limit=100")).json as { categoryId: number }[];
  expect(animals).toHaveLength(50);
  expect(new Set(animals.map(({ categoryId }) => categoryId))).toEqual(new Set([3]));
  const sold = (await list("?categoryId=3&status=sold&limit=100")).json as { status: string; categoryId: number }[];
  expect(sold.length).toBeGreaterThan(5);
  expect(sold.every(({ status, categoryId }) => status === "sold" && categoryId === 3)).toBe(true);
});

test("sort=-id returns the newest animals first with any filter, and sort=id the oldest", async () => {
  for (const filter of ["", "status=sold", "categoryId=3", "status=sold&categoryId=3", "id=12"]) {
    const ascending = await fetchIds(`limit=60&${filter}`);
    expect(ascending).not.toBeEmpty();
    expect(await fetchIds(`limit=60&${filter}&sort=-id`)).toEqual(ascending.toReversed());
    expect(await fetchIds(`limit=60&${filter}&sort=id`)).toEqual(ascending);
  }
});

test.each(["", "name", "+id", "-ID", "id,-id", "--id"])("listPets returns 400 for sort=%s", async (sort) => {
  const response = await list(`?sort=${sort}`);
  expect(response.json).toMatchObject({ message: "sort must be one of id, -id.", status: 400 });
});

it("name= returns the animals whose names have that prefix, by name, ignoring case and accents", async ({ client }) => {
  for (const name of ["Rex", "Mia", "rémy", "REA", "Réa", "Trex", "Re"]) {
    await client.call("/v1/pets", { body: { name, categoryId: 1 } });
  }
  const fetchNames = async (path: string) => (await Array.fromAsync(client.walk(path))).map(({ name }) => name);
  for (const limit of [1, 2, 100]) {
    const matchingNames = ["Re", "REA", "Réa", "rémy", "Rex"];
    expect(await fetchNames(`/v1/pets?name=r%C3%8A&limit=${limit}`)).toEqual(matchingNames);
    expect(await fetchNames(`/v1/pets?name=re&limit=${limit}`)).toEqual(matchingNames);
  }
  expect(await fetchNames("/v1/pets?name=rea")).toEqual(["REA", "Réa"]);
  expect(await fetchNames("/v1/pets?name=%25")).toEqual([]);
});

it("name= distinguishes vowel signs, applies full case folding and finds parts of Hangul syllables", async (service) => {
  const { client } = service;
  for (const name of ["Straße", "É", "कि", "का", "กี", "กู", "한"]) {
    await client.call("/v1/pets", { body: { name, categoryId: 1 } });
  }
  for (const [name, found] of Object.entries({ strasse: "Straße", e: "É", कि: "कि", का: "का", กี: "กี", 하: "한" })) {
    expect((await client.call(`/v1/pets?name=${encodeURIComponent(name)}`)).json).toMatchObject([{ name: found }]);
  }
});

it("the pages of a list by name distinguish names of 255 characters by the last one", async ({ client }) => {
  const start = "한".repeat(254);
  for (const end of "다가라나") await client.call("/v1/pets", { body: { name: start + end, categoryId: 1 } });
  for (const filter of ["한", start]) {
    const animals = await Array.fromAsync(client.walk(`/v1/pets?name=${encodeURIComponent(filter)}&limit=1`));
    expect(animals.map(({ name }) => name.slice(start.length))).toEqual([..."가나다라"]);
  }
});

it("a page filtered by name starts with an animal that was added or renamed to sort first", async ({ client }) => {
  const add = (name: string) => client.call("/v1/pets", { body: { name, categoryId: 1 } });
  const names = async () =>
    ((await client.call("/v1/pets?name=r&limit=2")).json as { name: string }[]).map(({ name }) => name);
  for (const name of ["Rb", "Rc", "Rd"]) await add(name);
  for (let read = 0; read < 4; read++) expect(await names()).toEqual(["Rb", "Rc"]);
  await add("Ra");
  expect(await names()).toEqual(["Ra", "Rb"]);
  await client.call("/v1/pets/2", { method: "PATCH", body: { name: "R" } });
  expect(await names()).toEqual(["R", "Ra"]);
});

test("a list filtered by name returns 400 for a well-formed cursor that points outside it", async () => {
  for (const start of [
    { after: 1 },
    { after: 1, afterName: "mia" },
    { after: 1, afterName: "q" },
    { after: 1, afterName: "re\0" },
  ]) {
    const cursor = encodeCursor(start, "listPets\nname=re");
    expect((await list(`?name=re&cursor=${cursor}`)).json).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^cursor must be one that this list returned/),
    });
  }
  const cursor = encodeCursor({ after: 1, afterName: "rea" }, "listPets\nname=re");
  expect((await list(`?name=re&cursor=${cursor}`)).status).toBe(200);
});

test.each(["", "x".repeat(256), "%00", "re%00", "re%0A"])("listPets returns 400 for name=%s", async (name) => {
  expect((await list(`?name=${name}`)).json).toMatchObject({
    status: 400,
    message: "name must be a string of 1 to 255 characters, none of them a control character.",
  });
});

test("name= combined with other filters or sort gets 400, and the message names all of them", async () => {
  expect((await list("?name=re&status=sold&id=1&categoryId=1&sort=id")).json).toMatchObject({
    status: 400,
    message:
      "status cannot be combined with name. id cannot be combined with name. categoryId cannot be combined with name. sort cannot be combined with name.",
  });
});

test("a percent-encoded parameter is decoded", async () => {
  expect((await list("?%73tatus=%73old&limit=1")).json).toMatchObject([{ status: "sold" }]);
});

test("unknown parameters are ignored and left out of the links", async () => {
  const response = await list("?limit=5&colour=red");
  expect(response.status).toBe(200);
  expect(response.headers.get("link")).not.toContain("colour");
});

test("the next and first links keep the limit and the filters", async () => {
  const { headers } = await list("?status=sold&limit=3&categoryId=2");
  expect(linkOf(headers.get("link"), "first")).toBe("/v1/pets?limit=3&status=sold&categoryId=2");
  expect(linkOf(headers.get("link"), "next")).toMatch(
    /^\/v1\/pets\?limit=3&status=sold&categoryId=2&cursor=[\w-]{14,27}$/,
  );
});

test("the last page has no next link, even if the page is full", async () => {
  const pageSizes = async (start: string) => {
    const sizes: number[] = [];
    for (let path: string | undefined = start; path; ) {
      const page: CheckedResponse = await service.client.call(path);
      sizes.push((page.json as unknown[]).length);
      path = nextPageOf(page);
    }
    return sizes;
  };
  expect(await pageSizes("/v1/pets?limit=50")).toEqual([50, 50, 50, 50, 50]);
  expect(await pageSizes("/v1/pets?limit=60")).toEqual([60, 60, 60, 60, 10]);
});

test("an empty list has only a first link", async () => {
  const { headers, json } = await list("?categoryId=99");
  expect(json).toEqual([]);
  expect(headers.get("link")).toBe('</v1/pets?categoryId=99>; rel="first"');
});

test("the limit of a list may change from page to page", async () => {
  const first = nextPageOf(await list("?limit=2")) ?? "";
  expect((await service.client.call(first.replace("limit=2", "limit=5"))).json).toMatchObject(
    [3, 4, 5, 6, 7].map((id) => ({ id })),
  );
});

it("a cursor stays valid after its animal is changed or deleted", async (other) => {
  await other.database.fill(30);
  const next = nextPageOf(await other.client.call("/v1/pets?status=available&limit=3")) ?? "";
  const expected = (await other.client.call(next)).json;
  await other.database.run("UPDATE pets SET status = 'sold' WHERE id = 7");
  expect((await other.client.call(next)).json).toEqual(expected);
  await other.database.run("DELETE FROM pets WHERE id <= 7");
  expect((await other.client.call(next)).json).toEqual(expected);
});

const fetchCursor = async (query: string) =>
  new URL(nextPageOf(await list(query)) ?? "", service.client.url).searchParams.get("cursor") ?? "";
const wrongCursor = "cursor must be one that this list returned, used with the same filters; omit it to start over.";

test("a cursor that is used with other filters gets 400", async () => {
  const cursor = await fetchCursor("?status=sold&limit=2");
  for (const query of [
    `cursor=${cursor}`,
    `status=available&cursor=${cursor}`,
    `status=sold&categoryId=1&cursor=${cursor}`,
  ]) {
    expect((await list(`?${query}`)).json).toEqual({ code: "BadRequest", message: wrongCursor, status: 400 });
  }
});

test("a cursor is valid only for its sort order, and the default order may be stated or omitted", async () => {
  const ascending = await fetchCursor("?limit=2");
  expect(await fetchCursor("?limit=2&sort=id")).toBe(ascending);
  for (const query of ["", "sort=id&"]) {
    expect((await list(`?${query}limit=2&cursor=${ascending}`)).json).toMatchObject([{ id: 3 }, { id: 4 }]);
  }
  const descending = await fetchCursor("?limit=2&sort=-id");
  expect((await list(`?sort=-id&limit=2&cursor=${descending}`)).json).toMatchObject([{ id: 248 }, { id: 247 }]);
  for (const query of [`sort=-id&cursor=${ascending}`, `cursor=${descending}`, `sort=id&cursor=${descending}`]) {
    expect((await list(`?${query}`)).json).toEqual({ code: "BadRequest", message: wrongCursor, status: 400 });
  }
  const several = await fetchCursor("?limit=2&status=sold,available");
  expect(await fetchCursor("?limit=2&status=available,sold,sold")).toBe(several);
  expect((await list(`?status=sold&cursor=${several}`)).status).toBe(400);
  expect(linkOf((await list("?status=sold,available&limit=2")).headers.get("link"), "first")).toBe(
    "/v1/pets?limit=2&status=available,sold",
  );
  const { headers } = await list("?sort=-id&limit=2&status=sold");
  expect(linkOf(headers.get("link"), "first")).toBe("/v1/pets?limit=2&status=sold&sort=-id");
});

test("a cursor with any one character changed gets 400", async () => {
  const cursor = await fetchCursor("?limit=2");
  for (let index = 0; index < cursor.length; index++) {
    const changed = cursor.slice(0, index) + (cursor[index] === "A" ? "B" : "A") + cursor.slice(index + 1);
    expect((await list(`?cursor=${changed}`)).json).toMatchObject({ message: wrongCursor });
  }
});

test.each(["", "1", "AAAAAAAAAAAAAAAAAAAAAAAA", "x".repeat(5000), "%00", "=="])(
  "listPets returns 400 for cursor=%p",
  async (cursor) => {
    expect((await list(`?cursor=${cursor}`)).json).toMatchObject({ message: wrongCursor, status: 400 });
  },
);
