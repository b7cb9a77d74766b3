import { type ApiResponse, Call, type OperationId, type ResultOf } from "./call.ts";
import { InvalidResponseError } from "./errors.ts";
import type { Operations } from "./generated.ts";
import type { Input, OptionsOf, Sender } from "./sender.ts";

export type ListId = {
  [Id in OperationId]: "cursor" extends keyof Operations[Id]["query"] ? Id : never;
}[OperationId];

export type ItemOf<Id extends ListId> = ResultOf<Id> extends readonly (infer Item)[] ? Item : never;

export interface Page<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page, if there is one. */
  readonly next: string | undefined;
}

/** A list of items. Iteration requests page after page; `page` requests a single page. */
export class List<Id extends ListId> implements AsyncIterable<ItemOf<Id>> {
  readonly #sender: Sender;
  readonly #id: Id;
  readonly #input: Input;
  readonly #options: OptionsOf<Id>;

  constructor(sender: Sender, id: Id, input: Input, options: OptionsOf<Id>) {
    this.#sender = sender;
    this.#id = id;
    this.#input = input;
    this.#options = options;
  }

  /** Returns one page: the first, or the one that `cursor` names. */
  page(): Call<Id, Page<ItemOf<Id>>> {
    return this.#requestPage(this.#input);
  }

  async *pages(): AsyncGenerator<Page<ItemOf<Id>>, void, undefined> {
    for (let input = this.#input; ; ) {
      const page = await this.#requestPage(input);
      yield page;
      // The list of events always has a next page, for later events, so an empty page ends the iteration.
      if (page.next === undefined || page.items.length === 0) return;
      input = { ...input, query: { ...input.query, cursor: page.next } };
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<Id>, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  async toArray(): Promise<ItemOf<Id>[]> {
    const items: ItemOf<Id>[] = [];
    for await (const item of this) items.push(item);
    return items;
  }

  #requestPage(input: Input): Call<Id, Page<ItemOf<Id>>> {
    const call = this.#sender.call(this.#id, input, this.#options);
    return new Call(call.withResponse().then((response) => toPage(response)));
  }
}

function toPage<Id extends ListId>(response: ApiResponse<Id>): ApiResponse<Id, Page<ItemOf<Id>>> {
  const headers: Pick<Headers, "get"> = response.headers;
  const [, link] = /<([^>]*)>;\s*rel="?next"?/.exec(headers.get("Link") ?? "") ?? [];
  // A proxy may serve the list under another path, so only the cursor of the link is used.
  const next = link && new URL(link, "http://any").searchParams.get("cursor");
  return { ...response, data: { items: requireItems(response), next: next || undefined } };
}

export function requireItems<Id extends ListId>({ data }: ApiResponse<Id>): ItemOf<Id>[] {
  if (!Array.isArray(data)) throw new InvalidResponseError();
  return data;
}
