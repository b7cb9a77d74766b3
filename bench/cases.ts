import { encodeCursor } from "../src/domain/page-cursor.ts";
import { type NextRequest, requestBytes, type Sent } from "./load.ts";
import { key } from "./targets.ts";

/** Something that clients do all day. */
export interface Case {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  /** What the service is asked. */
  readonly next: NextRequest;
  /** A request whose answer's bytes the controls send, for cases that only read. */
  readonly sample?: string;
  /** What a bare server is asked that makes the same query, for cases that are not answered from memory. */
  readonly sameQuery?: NextRequest;
  /** What Elysia is asked, which has no cursors but ids. */
  readonly elysia?: NextRequest;
  readonly goals?: Goals;
}

export interface Goals {
  /** At most so many times what a bare server needs that sends the same bytes. */
  readonly sameBytes?: number;
  /** At most so many times what a bare server needs that makes the same query. */
  readonly sameQuery?: number;
  /** Elysia needs at least so many times as much. */
  readonly elysia?: number;
}

/** The cases that read, on a catalogue of so many animals. */
export function readCases(animals: number): Case[] {
  const hot = get("/v1/pets?status=available");
  const ones = Array.from({ length: 20_000 }, () => get(`/v1/pets/${randomId(animals)}`));
  const create = creation("create");
  return [
    {
      name: "hot",
      title: "hot list of 20 by status",
      connections: 16,
      next: () => hot,
      sample: hotPath,
      elysia: () => hot,
      goals: { sameBytes: 1.4 },
    },
    {
      name: "cursors",
      title: "list at random cursors",
      connections: 16,
      next: randomPage(animals),
      sample: hotPath,
      sameQuery: () => get(`/page/${randomId(animals)}`),
      elysia: () => get(`${hotPath}&cursor=${randomId(animals)}`),
      goals: { sameQuery: 1.4, elysia: 1.6 },
    },
    {
      name: "mixed",
      title: "hot list with 10 % creates",
      connections: 16,
      next: (turn, connection) => ((turn + connection) % 10 === 0 ? create : hot),
      sample: hotPath,
    },
    {
      name: "get",
      title: "get by random id",
      connections: 16,
      next: cycle(ones),
      sample: "/v1/pets/1",
      sameQuery: () => get(`/one/${randomId(animals)}`),
      elysia: cycle(ones),
      goals: { sameQuery: 1.3, elysia: 1.1 },
    },
    {
      name: "401",
      title: "401 without a key",
      connections: 16,
      next: constant(get(hotPath, 401, null)),
      sample: "/v1/nothing",
    },
    {
      name: "400",
      title: "400 for a wrong limit",
      connections: 16,
      next: constant(get("/v1/pets?limit=0", 400)),
      sample: "/v1/pets?limit=0",
    },
  ];
}

/** Reads of which none may cost more the more animals there are. */
export function growthCases(animals: number): Case[] {
  const byName = new Map(readCases(animals).map((one) => [one.name, one]));
  const last = get(`/v1/pets?cursor=${cursor(animals - 10, "")}`);
  return [
    ...["hot", "cursors", "get"].flatMap((name) => byName.get(name) ?? []),
    { name: "last", title: "last page", connections: 16, next: constant(last) },
  ];
}

/** Only creates. */
export const createCase: Case = {
  name: "creates",
  title: "creates, 64 connections",
  connections: 64,
  next: constant(creation("create")),
};

/** Reads, of the hot list and at random cursors, while 64 connections create. */
export function readsBesideCreates(animals: number): Case {
  const page = randomPage(animals);
  const create = creation("create");
  return {
    name: "beside",
    title: "reads beside creates",
    connections: 68,
    next: (turn, connection) => (connection < 64 ? create : page(turn, connection)),
  };
}

const hotPath = "/v1/pets?status=available";

function get(target: string, status = 200, withKey: string | null = key): Sent {
  return { bytes: requestBytes("GET", target, withKey), kind: "read", status };
}

function creation(kind: string): Sent {
  const body = '{"name":"Rex","categoryId":7,"status":"available"}';
  return { bytes: requestBytes("POST", "/v1/pets", key, body), kind, status: 201 };
}

/** No two are the same, by a parameter that the service ignores, so that none is answered from memory. */
function randomPage(animals: number): NextRequest {
  const places = Array.from({ length: 20_000 }, () =>
    cursor(randomId(Math.max(1, animals - 100)), "\nstatus=available"),
  );
  let asked = 0;
  return () => get(`/v1/pets?status=available&cursor=${places[asked % places.length]}&turn=${asked++}`);
}

function cursor(position: number, filters: string): string {
  return encodeCursor({ after: Math.max(0, position) }, `listPets${filters}`);
}

function randomId(animals: number): number {
  return 1 + Math.floor(Math.random() * animals);
}

function constant(sent: Sent): NextRequest {
  return () => sent;
}

/** Each connection starts elsewhere, so that together they ask for all. */
function cycle(all: readonly Sent[]): NextRequest {
  return (turn, connection) => all[(turn + connection * 1_237) % all.length] as Sent;
}
