import { InvalidInput } from "../invalid-input.ts";
import type { WebhookDesk } from "../operation.ts";

/** Throws BadRequest if nothing could ever be sent there. */
export function requireUrl(webhooks: WebhookDesk, url: string): void {
  const complaint = webhooks.complaintAboutUrl(url);
  if (complaint !== undefined) throw new InvalidInput([{ pointer: "#/url", message: `url ${complaint}` }]);
}
