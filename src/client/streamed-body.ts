import type { Attempt } from "./attempt.ts";

/**
 * The text of an answer as it arrives. The attempt ends with it, or when nothing has arrived for too long; the time that the
 * reader takes does not count.
 */
export async function* textOf(response: Response, attempt: Attempt, quietLimitMs: number): AsyncGenerator<string> {
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
