import { useState } from "react";
import type { CreatedWebhook, NewWebhook, Webhook } from "../../../packages/client/src/index.ts";
import { eventKinds } from "../activity/event-kinds.ts";
import { useAction } from "../api/action.ts";
import { queryKeys, useTools } from "../api/queries.ts";
import { findComplaint, rules } from "../api/rules.ts";
import { Chip, TextField } from "../parts/controls.tsx";
import { useStoredDraft } from "../parts/drafts.ts";
import { FormDialog, type InputOf, useForm } from "../parts/form.tsx";
import { Time } from "../parts/listing.tsx";
import { useShowSecret } from "../parts/secret-dialog.tsx";

type EventType = NonNullable<NewWebhook["types"]>[number];

interface Draft {
  readonly url: string;
  readonly description: string;
  /** The event types to send. An empty list means all types, including future types. */
  readonly types: readonly EventType[];
}

/** Adds a webhook, or changes the given one. */
export function WebhookForm({ webhook, onClose }: { webhook?: Webhook; onClose: () => void }) {
  const { store, queries, isMounted } = useTools();
  const showSecret = useShowWebhookSecret();
  // Keeps the first values, because refetches replace the webhook while the dialog is open.
  const [initial] = useState<Draft>({
    url: webhook?.url ?? "",
    description: webhook?.description ?? "",
    types: (webhook?.types ?? []) as Draft["types"],
  });
  const draftName = webhook ? `webhook ${webhook.id}` : "new webhook";
  const storedDraft = useStoredDraft<Draft>(draftName);
  const saving = useAction({
    draft: draftName,
    mutationFn: async ({ url, description, types }: Draft, options): Promise<Webhook | CreatedWebhook> => {
      const editedFields = { url: url.trim(), description: description.trim() || null, types };
      if (!webhook) return await store.webhooks.create(editedFields, options);
      // Sends only the changed fields, so that concurrent changes of other fields are kept.
      return await store.webhooks.update(webhook.id, {
        ...(editedFields.url !== initial.url && { url: editedFields.url }),
        ...((editedFields.description ?? "") !== initial.description && { description: editedFields.description }),
        ...(String(types) !== String(initial.types) && { types }),
      });
    },
    onSuccess(saved) {
      storedDraft.forget();
      queries.invalidateQueries({ queryKey: queryKeys.webhooks });
      if (isMounted()) onClose();
      if ("secret" in saved) showSecret(saved);
    },
  });
  const form = useForm<Draft>({
    initial,
    storedDraft,
    sending: saving,
    findComplaints: ({ url, description }) => ({
      url: url.trim() === "" ? "Enter a URL." : undefined,
      description:
        description.trim() === "" ? undefined : findComplaint(rules.webhook["description"], description.trim()),
    }),
  });
  return (
    <FormDialog
      title={webhook ? `Change webhook ${webhook.id}` : "Add a webhook"}
      actionTitle={webhook ? "Save" : "Add webhook"}
      form={form}
      onSubmit={() => saving.run(form.draft)}
      onClose={onClose}
    >
      <TextField
        label="URL"
        hint="The URL that events are sent to. It must be https, and public unless the operator allows others."
        type="url"
        inputMode="url"
        spellCheck={false}
        {...form.field("url")}
      />
      <TextField label="Purpose" hint="You can leave it empty." {...form.field("description")} />
      <EventTypeChoice {...form.field("types")} />
    </FormDialog>
  );
}

function EventTypeChoice({ value: types, complaint, onChange }: InputOf<readonly EventType[]>) {
  const toggle = (type: EventType) =>
    onChange(types.includes(type) ? types.filter((each) => each !== type) : [...types, type]);
  return (
    <fieldset className="event-types">
      <legend>Events</legend>
      <p className="hint">
        {types.length === 0 ? "All events, including future types. Or choose some:" : "Only those that you choose:"}
      </p>
      {eventKinds.map(({ title, types: verbs }) => (
        <div key={title} className="about">
          <span>{title}</span>
          <div className="chips">
            {(Object.entries(verbs) as [EventType, string][]).map(([type, verb]) => (
              <Chip
                key={type}
                isChosen={types.includes(type)}
                aria-label={`${title} ${verb}`}
                title={type}
                onClick={() => toggle(type)}
              >
                {verb}
              </Chip>
            ))}
          </div>
        </div>
      ))}
      <p className="complaint" aria-live="polite">
        {complaint}
      </p>
    </fieldset>
  );
}

export function useShowWebhookSecret(): (webhook: CreatedWebhook) => void {
  const showSecret = useShowSecret();
  return ({ id, url, secret, oldSecretExpiresAt: oldSecretEnd, updatedAt }) => {
    const text = (
      <>
        Events to <bdi>{url}</bdi> are signed with this secret. It is shown only this once: give it to the receiver.{" "}
        <OldSecret end={oldSecretEnd} rotatedAt={updatedAt} />
      </>
    );
    showSecret({ title: `Secret of webhook ${id}`, label: "The secret", secret, text });
  };
}

function OldSecret({ end, rotatedAt }: { end: string | null; rotatedAt: string }) {
  if (end === null) return null;
  // Compares two times from the store, because the clock of this device may be wrong.
  if (end <= rotatedAt) return "The old one no longer works.";
  return (
    <>
      The old one works until <Time at={end} />.
    </>
  );
}
