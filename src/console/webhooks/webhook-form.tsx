import { useState } from "react";
import type { CreatedWebhook, NewWebhook, Webhook } from "../../../packages/client/src/index.ts";
import { eventKinds } from "../activity/event-kinds.ts";
import { useAction } from "../api/action.ts";
import { queryKeys, useTools } from "../api/queries.ts";
import { findComplaint, rules } from "../api/rules.ts";
import { Chip, TextField } from "../parts/controls.tsx";
import { useStoredDraft } from "../parts/drafts.ts";
import { fieldErrorsOf } from "../parts/errors.ts";
import { FormDialog, useForm } from "../parts/form.tsx";
import { Time } from "../parts/listing.tsx";
import { useShowSecret } from "../parts/secret-dialog.tsx";
import { useStore } from "../session/session.tsx";

type EventType = NonNullable<NewWebhook["types"]>[number];

interface Draft {
  readonly url: string;
  readonly description: string;
  /** Empty for all types, including future ones. */
  readonly types: readonly EventType[];
}

export function AddWebhook({ onClose }: { onClose: () => void }) {
  const store = useStore();
  const showSecret = useShowWebhookSecret();
  return (
    <WebhookForm
      title="Add a webhook"
      action="Add webhook"
      draftName="new webhook"
      initial={{ url: "", description: "", types: [] }}
      save={async (webhook, options) => await store.webhooks.create(webhook, options)}
      onSaved={showSecret}
      onClose={onClose}
    />
  );
}

export function ChangeWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const store = useStore();
  // Keeps the initial webhook, because refetches replace the prop while the dialog is open.
  const [{ id, url, description, types }] = useState(webhook);
  return (
    <WebhookForm
      title={`Change webhook ${id}`}
      action="Save"
      draftName={`webhook ${id}`}
      initial={{ url, description: description ?? "", types: types as readonly EventType[] }}
      // Sends only the changed fields, so that concurrent changes of other fields are kept.
      save={async (edited) =>
        await store.webhooks.update(id, {
          ...(edited.url !== url && { url: edited.url }),
          ...(edited.description !== description && { description: edited.description }),
          ...(String(edited.types) !== String(types) && { types: edited.types }),
        })
      }
      onClose={onClose}
    />
  );
}

interface WebhookFormProps<Saved> {
  readonly title: string;
  readonly action: string;
  readonly draftName: string;
  readonly initial: Draft;
  readonly save: (webhook: Required<NewWebhook>, options: { readonly idempotencyKey: string }) => Promise<Saved>;
  readonly onSaved?: (saved: Saved) => void;
  readonly onClose: () => void;
}

function WebhookForm<Saved>(props: WebhookFormProps<Saved>) {
  const { title, action, draftName, initial, save, onSaved, onClose } = props;
  const { queries, isMounted } = useTools();
  const storedDraft = useStoredDraft<Draft>(draftName);
  const saving = useAction({
    draft: draftName,
    mutationFn: save,
    onSuccess(saved) {
      storedDraft.forget();
      queries.invalidateQueries({ queryKey: queryKeys.webhooks });
      if (isMounted()) onClose();
      onSaved?.(saved);
    },
  });
  const storeComplaints = fieldErrorsOf(saving.error);
  const form = useForm<Draft>({
    initial,
    storedDraft,
    sending: saving,
    storeComplaints,
    fieldsCheckedOnSubmit: ["url"],
    findComplaints: ({ url, description }) => ({
      url: findUrlComplaint(url.trim()),
      description:
        description.trim() === "" ? undefined : findComplaint(rules.webhook["description"], description.trim()),
    }),
  });
  const { url, description, types } = form.draft;
  const submit = () => saving.run({ url: url.trim(), types, description: description.trim() || null });
  const refusedTypes = Object.entries(storeComplaints).find(([field]) => field.startsWith("types"))?.[1];
  return (
    <FormDialog title={title} action={action} form={form} onSubmit={submit} onClose={onClose}>
      <TextField
        label="URL"
        hint="The URL that events are sent to. It must be https, and public unless the operator allows others."
        type="url"
        inputMode="url"
        spellCheck={false}
        {...form.field("url")}
      />
      <TextField label="Purpose" hint="You can leave it empty." {...form.field("description")} />
      <EventTypeChoice types={types} complaint={refusedTypes} onChange={form.field("types").onChange} />
    </FormDialog>
  );
}

interface EventTypeChoiceProps {
  readonly types: readonly EventType[];
  readonly complaint: string | undefined;
  readonly onChange: (types: readonly EventType[]) => void;
}

function EventTypeChoice({ types, complaint, onChange }: EventTypeChoiceProps) {
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
  return ({ id, url, secret, oldSecretExpiresAt: oldEnd, updatedAt }) => {
    const text = (
      <>
        Events to <bdi>{url}</bdi> are signed with this secret. It is shown only this once: give it to the receiver.{" "}
        <OldSecret end={oldEnd} rotatedAt={updatedAt} />
      </>
    );
    showSecret({ title: `Secret of webhook ${id}`, label: "The secret", secret, text });
  };
}

function OldSecret({ end, rotatedAt }: { end: string | null; rotatedAt: string }) {
  if (end === null) return null;
  // Compares two times of the store, since the clock of this device may be wrong.
  if (end <= rotatedAt) return "The old one no longer works.";
  return (
    <>
      The old one works until <Time at={end} />.
    </>
  );
}

function findUrlComplaint(url: string): string | undefined {
  const { maxLength = Number.POSITIVE_INFINITY, pattern = "" } = rules.webhook["url"] ?? {};
  if (url === "") return "Enter a URL.";
  if (!new RegExp(pattern, "u").test(url) || !URL.canParse(url)) {
    return "Enter a full URL, such as https://hooks.shop.example/animals.";
  }
  return url.length > maxLength ? `Use at most ${maxLength} characters; this has ${url.length}.` : undefined;
}
