import { useState } from "react";
import type { CreatedWebhook } from "../../client/index.ts";
import { useAction } from "../api/action.ts";
import { useSubmission } from "../api/submission.ts";
import { Confirmation } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { Select } from "../parts/select.tsx";
import { useIsThere } from "../parts/there.ts";
import { useStore } from "../session/session.tsx";

/** Asks how long the old secret is to work, then makes a new one. */
export function RotateSecret({
  id,
  onRotated,
  onClose,
}: {
  id: number;
  onRotated: (webhook: CreatedWebhook) => void;
  onClose: () => void;
}) {
  const store = useStore();
  const submission = useSubmission();
  const isThere = useIsThere();
  const [overlapSeconds, setOverlapSeconds] = useState(day);
  const rotate = useAction({
    mutationFn: async () => await store.webhooks.rotateSecret(id, { overlapSeconds }, submission.of(overlapSeconds)),
    onSuccess(rotated) {
      if (isThere()) onClose();
      onRotated(rotated);
    },
    onSettled: (_, error) => submission.settle(overlapSeconds, error),
  });
  return (
    <Confirmation
      title="Rotate the secret?"
      question={`Webhook ${id} gets a new secret, which is shown once. For as long as the old one works, events are signed with both.`}
      action="Create the new secret"
      refusal="Leave it"
      isBusy={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.run()}
      onClose={onClose}
    >
      <Field label="The old secret">
        {(attributes) => (
          <Select
            {...attributes}
            value={overlapSeconds}
            onChange={(event) => setOverlapSeconds(Number(event.target.value))}
          >
            {overlaps.map(([seconds, text]) => (
              <option key={seconds} value={seconds}>
                {text}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </Confirmation>
  );
}

const day = 24 * 60 * 60;
const overlaps = [
  [day, "works for another day"],
  [7 * day, "works for another week"],
  [30 * day, "works for another 30 days"],
  [0, "stops working at once: it has leaked"],
] as const satisfies readonly (readonly [seconds: number, text: string])[];
