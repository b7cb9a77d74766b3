import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import type { CreatedWebhook, NewWebhook } from "../../client/index.ts";
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
import { useStore } from "../session/session.tsx";
import { type EventType, EventTypeChoice } from "./event-types.tsx";

export function AddWebhook({ onAdded, onClose }: { onAdded: (webhook: CreatedWebhook) => void; onClose: () => void }) {
  const store = useStore();
  const queries = useQueryClient();
  const submission = useSubmission();
  const { found, keep, forget } = useDraft<Draft>("new webhook");
  const [draft, setDraft] = useState<Draft>(found ?? emptyDraft);
  const [isLeaving, setLeaving] = useState(false);
  const [isTouched, setTouched] = useState(false);
  const add = useAction({
    mutationFn: async (webhook: NewWebhook) => await store.webhooks.create(webhook, submission.of(webhook)),
    onSuccess(webhook) {
      forget();
      queries.invalidateQueries({ queryKey: names.webhooks });
      onAdded(webhook);
    },
    onSettled: (_, error, webhook) => submission.settle(webhook, error),
  });
  const change = (changes: Partial<Draft>) => {
    setDraft({ ...draft, ...changes });
    if (add.isError) add.reset();
  };
  const url = draft.url.trim();
  const description = draft.description.trim();
  const wrongUrl = complaintAboutUrl(url);
  const wrongDescription = description === "" ? undefined : complaintAbout(rules.webhook["description"], description);
  const refused = fieldsOf(add.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTouched(true);
    if (wrongUrl || wrongDescription) focusComplaint(event.currentTarget);
    else add.run({ url, types: draft.types, description: description === "" ? null : description });
  };
  const isTyped = draft.url !== "" || draft.description !== "" || draft.types.length > 0;
  useEffect(() => keep(isTyped ? draft : undefined));
  const leave = () => (isTyped ? setLeaving(true) : onClose());
  const discard = () => {
    forget();
    onClose();
  };
  const refusedTypes = Object.entries(refused).find(([field]) => field.startsWith("types"))?.[1];
  return (
    <Dialog title="Add a webhook" onClose={leave}>
      <form onSubmit={submit} noValidate>
        {found && <Restored />}
        <TextField
          label="URL"
          hint="Where events are sent to. It must be https, and public unless the operator allows others."
          complaint={(isTouched ? wrongUrl : undefined) ?? refused["url"]}
          type="url"
          inputMode="url"
          spellCheck={false}
          value={draft.url}
          onChange={(text) => change({ url: text })}
        />
        <TextField
          label="What it is for"
          hint="You can leave it empty."
          complaint={wrongDescription ?? refused["description"]}
          value={draft.description}
          onChange={(text) => change({ description: text })}
        />
        <EventTypeChoice types={draft.types} complaint={refusedTypes} onChange={(types) => change({ types })} />
        <Failure error={Object.keys(refused).length > 0 ? undefined : add.error} />
        <footer>
          <button type="button" onClick={leave}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={add.isPending}>
            Add webhook
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

const emptyDraft: Draft = { url: "", description: "", types: [] };

function complaintAboutUrl(url: string): string | undefined {
  const { maxLength = Number.POSITIVE_INFINITY, pattern = "" } = rules.webhook["url"] ?? {};
  if (url === "") return "Enter a URL.";
  if (!new RegExp(pattern, "u").test(url) || !URL.canParse(url)) {
    return "Enter a whole URL, such as https://hooks.shop.example/animals.";
  }
  return url.length > maxLength ? `Use at most ${maxLength} characters; these are ${url.length}.` : undefined;
}
