import { useState } from "react";
import type { CreatedKey } from "../../client/index.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";

/** The store does not keep the key itself, so that it can be shown no other time. */
export function ShowNewKey({ made, onClose }: { made: CreatedKey; onClose: () => void }) {
  const [note, setNote] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(made.key);
      setNote("Copied.");
    } catch {
      setNote("Your browser does not allow copying here. Select the key and copy it yourself.");
    }
  };
  return (
    <Dialog title={`Key ${made.id}`}>
      <p>
        This is the key of <bdi>{made.name}</bdi>. It is shown only this once: copy it to a safe place.
      </p>
      <Field label="The key">
        {(attributes) => (
          <input
            {...attributes}
            className="secret"
            readOnly
            value={made.key}
            onFocus={(event) => event.target.select()}
          />
        )}
      </Field>
      <p role="status">{note}</p>
      <footer>
        <button type="button" onClick={onClose}>
          I have kept it
        </button>
        <button type="button" className="primary" onClick={copy}>
          Copy
        </button>
      </footer>
    </Dialog>
  );
}
