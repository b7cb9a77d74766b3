import { useState } from "react";
import { useAction } from "../api/action.ts";
import { useSubmission } from "../api/submission.ts";
import { Confirmation } from "../parts/dialog.tsx";
import { useIsThere } from "../parts/there.ts";
import { useStore } from "../session/session.tsx";

/** Asks from where on events are to be sent again. */
export function ReplayEvents({
  id,
  onReplayed,
  onClose,
}: {
  id: number;
  onReplayed: (text: string) => void;
  onClose: () => void;
}) {
  const store = useStore();
  const submission = useSubmission();
  const isThere = useIsThere();
  const [from, setFrom] = useState<keyof typeof places>("beginning");
  const replay = useAction({
    mutationFn: async () => await store.webhooks.replay(id, { from }, submission.of(from)),
    onSuccess() {
      if (isThere()) onClose();
      onReplayed(places[from].done);
    },
    onSettled: (_, error) => submission.settle(from, error),
  });
  return (
    <Confirmation
      title={`Replay to webhook ${id}?`}
      question="Pending retries are dropped, and events are sent:"
      action={places[from].action}
      refusal="Leave it"
      isBusy={replay.isPending}
      error={replay.error}
      onConfirm={() => replay.run()}
      onClose={onClose}
    >
      <fieldset className="choices">
        <legend className="unseen">From where</legend>
        {(Object.keys(places) as (keyof typeof places)[]).map((place) => (
          <label key={place} className="choice">
            <input type="radio" name="place" checked={from === place} onChange={() => setFrom(place)} />
            <span>
              {places[place].title}
              <small>{places[place].meaning}</small>
            </span>
          </label>
        ))}
      </fieldset>
    </Confirmation>
  );
}

const places = {
  beginning: {
    title: "From the beginning",
    meaning: "Everything that is still in the log is sent again, with the same ids.",
    action: "Send everything again",
    done: "Everything that is still in the log is sent again.",
  },
  end: {
    title: "From the end",
    meaning: "Events so far that were not delivered are skipped for good.",
    action: "Skip to the end",
    done: "Events so far are skipped.",
  },
} as const;
