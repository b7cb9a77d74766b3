import { InvalidInput } from "../invalid-input.ts";
import type { WebhookDesk } from "../operation.ts";

/** Throws BadRequest if no event could be sent to the URL. */
export function requireUrl(webhooks: WebhookDesk, url: string): void {
  const complaint = webhooks.complaintAboutUrl(url);
  if (complaint !== undefined) throw new InvalidInput([{ pointer: "#/url", message: `url ${complaint}` }]);
}
