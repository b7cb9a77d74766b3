import { includesScope } from "../../src/domain/key.ts";
import { isServiceFailure } from "../../src/operations/errors.ts";
import { operations } from "../../src/operations/index.ts";
import { maxItems } from "./bodies.ts";
import type { Case } from "./cases.ts";
import type { WireResponse } from "./responses.ts";
import type { RequestLine } from "./service-log.ts";
import type { Tally } from "./tally.ts";
import { strangeTexts } from "./texts.ts";

export class Ledger {
  /** Responses without a log line so far, by id and status: several requests may have the same id, and some are abandoned. */
  readonly #responses = new Map<string, ReceivedResponse>();
  readonly #lines = new Map<string, RequestLine>();
  readonly addedIds = new Set<number>();
  /** Maximum number of animals that were added without a received response. */
  maxUnreportedAdditions = 0;
  readonly deletedIds = new Set<number>();
  unknownDeletionCount = 0;
  slowest: RequestLine | undefined;

  constructor(readonly tally: Tally) {}

  noteResponse(fuzzCase: Case, response: WireResponse): void {
    const id = response.headers.find(([name]) => name === "x-request-id")?.[1] ?? "";
    if (isAmbiguous(id)) return;
    const received = { fuzzCase, response };
    const name = `${id} ${response.status}`;
    const line = this.#lines.get(name);
    if (!line) this.#responses.set(name, received);
    else {
      this.#lines.delete(name);
      this.#match(received, line);
    }
  }

  noteLine(line: RequestLine): void {
    if (line.operation === "deletePet" && line.status === 204) this.#noteDeletion(line.path);
    // The outcome of a write that missed its deadline is unknown.
    if (line.operation === "deletePet" && isServiceFailure(line.status)) this.unknownDeletionCount++;
    if (line.operation === "createPet" && isServiceFailure(line.status)) this.maxUnreportedAdditions++;
    if (line.operation === "createPets" && isServiceFailure(line.status)) this.maxUnreportedAdditions += 2 * maxItems;
    const name = `${line.requestId} ${line.status}${isAmbiguous(line.requestId) ? ` ${this.#lines.size}` : ""}`;
    const received = this.#responses.get(name);
    if (!received) this.#lines.set(name, line);
    else {
      this.#responses.delete(name);
      this.#match(received, line);
    }
  }

  /** Reports responses without a log line once the log has ended. `refusalCount` is the number of refused requests that have no line. */
  finish(refusalCount: number): void {
    let unlistedCount = refusalCount;
    for (const { fuzzCase, response } of this.#responses.values()) {
      const isRefused = response.status >= 400 && !isServiceFailure(response.status);
      if (isRefused && unlistedCount-- > 0) continue;
      this.tally.failCase(fuzzCase, "The log has no line of the request with this status.", [response]);
    }
    for (const { operation, status } of this.#lines.values()) {
      if (operation === "createPet" && status === 201) this.maxUnreportedAdditions++;
      // A mutated batch may contain more than `maxItems` animals.
      if (operation === "createPets" && status === 200) this.maxUnreportedAdditions += 2 * maxItems;
    }
  }

  #match({ fuzzCase, response }: ReceivedResponse, line: RequestLine): void {
    const { status } = response;
    this.tally.serviceMs.push(line.milliseconds);
    if (line.milliseconds > (this.slowest?.milliseconds ?? 0)) this.slowest = line;
    const operation = line.operation === undefined ? undefined : operationsById.get(line.operation);
    if (!operation || status >= 400) return;
    this.tally.count("successes", operation.id);
    if (!fuzzCase.scope || !includesScope(fuzzCase.scope, operation.scope)) {
      this.tally.failCase(fuzzCase, `${operation.id} was carried out without a key that allows it.`, [response]);
    }
    const isReplay = response.headers.some(([name]) => name === "idempotent-replayed");
    if (isReplay) this.tally.count("replays", operation.id);
    if (isReplay) return;
    for (const id of parseAddedIds(operation.id, response)) {
      if (this.addedIds.has(id)) this.tally.failCase(fuzzCase, `Another animal had the id ${id} before.`, [response]);
      this.addedIds.add(id);
    }
  }

  #noteDeletion(path: string): void {
    const id = Number(decodeURIComponent(path.split("/").at(-1) ?? ""));
    if (Number.isNaN(id)) this.unknownDeletionCount++;
    else this.deletedIds.add(id);
  }
}

function parseAddedIds(operationId: string, { body }: WireResponse): number[] {
  if (operationId === "createPet") return [(JSON.parse(body.toString()) as { id: number }).id];
  if (operationId !== "createPets") return [];
  const { results } = JSON.parse(body.toString()) as { results: { pet?: { id: number } }[] };
  return results.flatMap(({ pet }) => (pet ? [pet.id] : []));
}

interface ReceivedResponse {
  readonly fuzzCase: Case;
  readonly response: WireResponse;
}

const operationsById = new Map(operations.map((operation) => [operation.id, operation]));

/** True for a request id that several cases may send, so that a response cannot be matched with its line of the log. */
function isAmbiguous(requestId: string): boolean {
  return strangeTexts.includes(requestId);
}
