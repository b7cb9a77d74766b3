import { InvalidInput } from "../invalid-input.ts";
import type { WebhookService } from "../operation.ts";

/** Throws BadRequest if no event could be sent to the URL. */
export function requireUrl(webhooks: WebhookService, url: string): void {
  const complaint = webhooks.complaintAboutUrl(url);
  if (complaint !== undefined) throw new InvalidInput([{ pointer: "#/url", message: `url ${complaint}` }]);
}
