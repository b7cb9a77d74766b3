import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useLayoutEffect, useState } from "react";
import type { NewWebhook } from "../../client/index.ts";
import { useAction } from "../api/action.ts";
import { fieldsOf } from "../api/errors.ts";
import { names } from "../api/queries.ts";
import { complaintAbout, rules } from "../api/rules.ts";
import { useSubmission } from "../api/submission.ts";
import { Dialog, DiscardQuestion } from "../parts/dialog.tsx";
import { useDraft } from "../parts/drafts.ts";
import { TextField } from "../parts/field.tsx";
import { focusComplaint } from "../parts/focus.ts";
import { Failure, Restored } from "../parts/notices.tsx";
import { useIsThere } from "../parts/there.ts";
import { type EventType, EventTypeChoice } from "./event-types.tsx";

/** Where events are sent to, what for, and which: of a webhook that is added, or that there is. */
export function WebhookForm<Saved>({
  title,
  action,
  draftName,
  initial,
  save,
  onSaved,
  onClose,
}: {
  title: string;
  action: string;
  /** What is typed is kept by this name. */
  draftName: string;
  initial: Required<NewWebhook>;
  /** The options are the same for the same content, until the store has said what came of it. */
  save: (webhook: Required<NewWebhook>, options: { readonly idempotencyKey: string }) => Promise<Saved>;
  onSaved?: (saved: Saved) => void;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const submission = useSubmission(draftName);
  const isThere = useIsThere();
  const { found, keep, forget } = useDraft<Draft>(draftName);
  const [began] = useState(() => draftOf(initial));
  const [draft, setDraft] = useState<Draft>(found ?? began);
  const [isLeaving, setLeaving] = useState(false);
  const [isTouched, setTouched] = useState(false);
  const saving = useAction({
    mutationFn: (webhook: Required<NewWebhook>) => save(webhook, submission.of(webhook)),
    onSuccess(saved) {
      forget();
      queries.invalidateQueries({ queryKey: names.webhooks });
      if (isThere()) onClose();
      onSaved?.(saved);
    },
    onSettled: (_, error, webhook) => submission.settle(webhook, error),
  });
  const change = (changes: Partial<Draft>) => {
    setDraft({ ...draft, ...changes });
    if (saving.isError) saving.reset();
  };
  const url = draft.url.trim();
  const description = draft.description.trim();
  const wrongUrl = complaintAboutUrl(url);
  const wrongDescription = description === "" ? undefined : complaintAbout(rules.webhook["description"], description);
  const refused = fieldsOf(saving.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTouched(true);
    if (wrongUrl || wrongDescription) focusComplaint(event.currentTarget);
    else saving.run({ url, types: draft.types, description: description === "" ? null : description });
  };
  const isTyped = JSON.stringify(draft) !== JSON.stringify(began);
  useLayoutEffect(() => keep(isTyped ? draft : undefined));
  const leave = () => (isTyped ? setLeaving(true) : onClose());
  const discard = () => {
    forget();
    onClose();
  };
  const refusedTypes = Object.entries(refused).find(([field]) => field.startsWith("types"))?.[1];
  return (
    <Dialog title={title} onClose={leave}>
      <form onSubmit={submit} noValidate>
        {found && <Restored />}
        <TextField
          label="URL"
          hint="The URL that events are sent to. It must be https, and public unless the operator allows others."
          complaint={(isTouched ? wrongUrl : undefined) ?? refused["url"]}
          type="url"
          inputMode="url"
          spellCheck={false}
          value={draft.url}
          readOnly={saving.isPending}
          onChange={(text) => change({ url: text })}
        />
        <TextField
          label="What it is for"
          hint="You can leave it empty."
          complaint={wrongDescription ?? refused["description"]}
          value={draft.description}
          readOnly={saving.isPending}
          onChange={(text) => change({ description: text })}
        />
        <EventTypeChoice types={draft.types} complaint={refusedTypes} onChange={(types) => change({ types })} />
        <Failure error={Object.keys(refused).length > 0 ? undefined : saving.error} />
        <footer>
          <button type="button" onClick={leave}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={saving.isPending}>
            {action}
          </button>
        </footer>
      </form>
      {isLeaving && <DiscardQuestion onDiscard={discard} onClose={() => setLeaving(false)} />}
    </Dialog>
  );
}

interface Draft {
  readonly url: string;
  readonly description: string;
  /** None stands for all. */
  readonly types: readonly EventType[];
}

function draftOf({ url, description, types }: Required<NewWebhook>): Draft {
  return { url, description: description ?? "", types: types ?? [] };
}

function complaintAboutUrl(url: string): string | undefined {
  const { maxLength = Number.POSITIVE_INFINITY, pattern = "" } = rules.webhook["url"] ?? {};
  if (url === "") return "Enter a URL.";
  if (!new RegExp(pattern, "u").test(url) || !URL.canParse(url)) {
    return "Enter a whole URL, such as https://hooks.shop.example/animals.";
  }
  return url.length > maxLength ? `Use at most ${maxLength} characters; these are ${url.length}.` : undefined;
}
