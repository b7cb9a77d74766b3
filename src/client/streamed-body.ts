import type { Attempt } from "./attempt.ts";
import { InvalidResponseError, notOfTheService } from "./errors.ts";

/**
 * The text of an answer as it arrives. The attempt ends with it, or when nothing has arrived for too long; the time that the
 * reader takes does not count. Throws InvalidResponseError if the answer is of another media type.
 */
export async function openText(
  response: Response,
  attempt: Attempt,
  mediaType: string,
  quietLimitMs: number,
): Promise<AsyncGenerator<string>> {
  if (!response.headers.get("Content-Type")?.startsWith(mediaType)) {
    await response.body?.cancel();
    throw new InvalidResponseError(notOfTheService);
  }
  attempt.keep();
  return textOf(response, attempt, quietLimitMs);
}

async function* textOf(response: Response, attempt: Attempt, quietLimitMs: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  try {
    for (;;) {
      attempt.restart(quietLimitMs);
      const piece = await reader?.read();
      attempt.pause();
      if (!piece || piece.done) return;
      yield decoder.decode(piece.value, { stream: true });
    }
  } catch (error) {
    throw attempt.explain(error);
  } finally {
    attempt.end();
  }
}
