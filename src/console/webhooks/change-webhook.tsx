import { useState } from "react";
import type { Webhook } from "../../client/index.ts";
import { useStore } from "../session/session.tsx";
import type { EventType } from "./event-types.tsx";
import { WebhookForm } from "./webhook-form.tsx";

export function ChangeWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const store = useStore();
  // As it was when somebody began, since it is read again meanwhile.
  const [{ id, url, description, types }] = useState(webhook);
  return (
    <WebhookForm
      title={`Change webhook ${id}`}
      action="Save"
      draftName={`webhook ${id}`}
      initial={{ url, description, types: types as readonly EventType[] }}
      // Only what is another now, so that what others change meanwhile stays.
      save={async (wanted) =>
        await store.webhooks.update(id, {
          ...(wanted.url !== url && { url: wanted.url }),
          ...(wanted.description !== description && { description: wanted.description }),
          ...(String(wanted.types) !== String(types) && { types: wanted.types }),
        })
      }
      onClose={onClose}
    />
  );
}
