import type { Client } from "./client.ts";

export interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly id: string; readonly subject: string; readonly data: { readonly id: number } };
}

export interface OpenedStream {
  readonly status: number;
  readonly headers: Headers;
  /** Yields every message until the stream ends or the caller leaves the loop. */
  messages(): AsyncGenerator<Message>;
  /** Blocks of the stream without data, such as comments and the `retry` field. */
  readonly otherBlocks: string[];
  close(): void;
}

export async function openStream(
  client: Client,
  path = "/v1/events",
  { key = client.key, lastEventId }: { key?: string; lastEventId?: string } = {},
): Promise<OpenedStream> {
  const abort = new AbortController();
  const headers = {
    authorization: `Bearer ${key}`,
    accept: "text/event-stream",
    ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
  };
  const response = await client.open(path, headers, abort.signal);
  const otherBlocks: string[] = [];
  return {
    status: response.status,
    headers: response.headers,
    otherBlocks,
    close: () => abort.abort(),
    async *messages() {
      try {
        yield* readMessages(response, otherBlocks);
      } catch (error) {
        if (!abort.signal.aborted) throw error;
      } finally {
        abort.abort();
      }
    },
  };
}

async function* readMessages(response: Response, otherBlocks: string[]): AsyncGenerator<Message> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)));
      if (fields["data"] === undefined) otherBlocks.push(block);
      else yield { id: fields["id"], event: fields["event"], data: JSON.parse(fields["data"]) };
    }
  }
}
