import type { CreatedWebhook } from "../../client/index.ts";
import { useStore } from "../session/session.tsx";
import { WebhookForm } from "./webhook-form.tsx";

export function AddWebhook({ onAdded, onClose }: { onAdded: (webhook: CreatedWebhook) => void; onClose: () => void }) {
  const store = useStore();
  return (
    <WebhookForm
      title="Add a webhook"
      action="Add webhook"
      draftName="new webhook"
      initial={{ url: "", description: null, types: [] }}
      save={async (webhook, options) => await store.webhooks.create(webhook, options)}
      onSaved={onAdded}
      onClose={onClose}
    />
  );
}
