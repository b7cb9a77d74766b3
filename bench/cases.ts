import { encodeCursor } from "../src/domain/page-cursor.ts";
import { type NextRequest, type PreparedRequest, requestBytes } from "./load.ts";
import { key } from "./targets.ts";

/** A typical load: the requests to the service, and the equivalent requests to the controls. */
export interface Case {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  readonly next: NextRequest;
  /** The path of a read. Nginx and a bare server send the body of the service's response to this read. */
  readonly samplePath?: string;
  /** Returns the next request to a bare server that runs the same query. Only for reads that do not come from the cache. */
  readonly sameQuery?: NextRequest;
  readonly elysia?: NextRequest;
  readonly goals?: Goals;
}

export interface Goals {
  /** Maximum cost relative to a bare server that sends the same bytes. */
  readonly sameBytes?: number;
  readonly sameQuery?: number;
  /** Minimum cost of the server on Elysia relative to the service. */
  readonly elysia?: number;
}

export function listReadCases(animalCount: number): Case[] {
  const hotList = getRequest("/v1/pets?status=available");
  const singleReads = Array.from({ length: 20_000 }, () => getRequest(`/v1/pets/${randomId(animalCount)}`));
  const create = createRequest("create");
  return [
    {
      name: "hot",
      title: "hot list of 20 by status",
      connections: 16,
      next: () => hotList,
      samplePath: hotPath,
      elysia: () => hotList,
      goals: { sameBytes: 1.4 },
    },
    {
      name: "cursors",
      title: "list at random cursors",
      connections: 16,
      next: requestRandomPages(animalCount),
      samplePath: hotPath,
      sameQuery: () => getRequest(`/page/${randomId(animalCount)}`),
      elysia: () => getRequest(`${hotPath}&cursor=${randomId(animalCount)}`),
      goals: { sameQuery: 1.4, elysia: 1.6 },
    },
    {
      name: "mixed",
      title: "hot list with 10 % creates",
      connections: 16,
      next: (index, connection) => ((index + connection) % 10 === 0 ? create : hotList),
      samplePath: hotPath,
    },
    {
      name: "get",
      title: "get by random id",
      connections: 16,
      next: cycleThrough(singleReads),
      samplePath: "/v1/pets/1",
      sameQuery: () => getRequest(`/one/${randomId(animalCount)}`),
      elysia: cycleThrough(singleReads),
      goals: { sameQuery: 1.3, elysia: 1.1 },
    },
    {
      name: "401",
      title: "401 without a key",
      connections: 16,
      next: repeat(getRequest(hotPath, 401, null)),
      samplePath: "/v1/nothing",
    },
    {
      name: "400",
      title: "400 for a wrong limit",
      connections: 16,
      next: repeat(getRequest("/v1/pets?limit=0", 400)),
      samplePath: "/v1/pets?limit=0",
    },
  ];
}

/** Returns reads whose cost must not grow with the number of animals. */
export function listGrowthCases(animalCount: number): Case[] {
  const byName = new Map(listReadCases(animalCount).map((one) => [one.name, one]));
  const lastPage = getRequest(`/v1/pets?cursor=${createCursor(animalCount - 10, "")}`);
  return [
    ...["hot", "cursors", "get"].flatMap((name) => byName.get(name) ?? []),
    { name: "last", title: "last page", connections: 16, next: repeat(lastPage) },
  ];
}

export const createsCase: Case = {
  name: "creates",
  title: "creates, 64 connections",
  connections: 64,
  next: repeat(createRequest("create")),
};

/** Returns reads at random cursors on four connections, while 64 connections create animals. */
export function readsBesideCreatesCase(animalCount: number): Case {
  const nextPage = requestRandomPages(animalCount);
  const create = createRequest("create");
  return {
    name: "beside",
    title: "reads beside creates",
    connections: 68,
    next: (index, connection) => (connection < 64 ? create : nextPage(index, connection)),
  };
}

const hotPath = "/v1/pets?status=available";

function getRequest(target: string, status = 200, apiKey: string | null = key): PreparedRequest {
  return { bytes: requestBytes("GET", target, apiKey), kind: "read", status };
}

function createRequest(kind: string): PreparedRequest {
  const body = '{"name":"Rex","categoryId":7,"status":"available"}';
  return { bytes: requestBytes("POST", "/v1/pets", key, body), kind, status: 201 };
}

/** Returns requests for pages at random cursors. A parameter that the service ignores makes each URL unique, to bypass the cache. */
function requestRandomPages(animalCount: number): NextRequest {
  const cursors = Array.from({ length: 20_000 }, () =>
    createCursor(randomId(Math.max(1, animalCount - 100)), "\nstatus=available"),
  );
  let requestCount = 0;
  return () =>
    getRequest(`/v1/pets?status=available&cursor=${cursors[requestCount % cursors.length]}&request=${requestCount++}`);
}

function createCursor(position: number, filters: string): string {
  return encodeCursor({ after: Math.max(0, position) }, `listPets${filters}`);
}

function randomId(animalCount: number): number {
  return 1 + Math.floor(Math.random() * animalCount);
}

function repeat(request: PreparedRequest): NextRequest {
  return () => request;
}

/** Repeats a sequence of requests. Each connection starts at a different request, so that the connections read different animals. */
function cycleThrough(requests: readonly PreparedRequest[]): NextRequest {
  return (index, connection) => requests[(index + connection * 1_237) % requests.length] as PreparedRequest;
}
