import { type ReactNode, useState } from "react";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";

/** A secret that can be shown no other time: the dialog stays until somebody says that they have it. */
export function ShownOnce({
  title,
  label,
  secret,
  onClose,
  children,
}: {
  title: string;
  /** What the secret is called, which begins with "The". */
  label: string;
  secret: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const [note, setNote] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      setNote("Copied.");
    } catch {
      setNote(`Your browser does not allow copying here. Select ${label.replace("The", "the")} and copy it yourself.`);
    }
  };
  return (
    <Dialog title={title}>
      <p>{children}</p>
      <Field label={label}>
        {(attributes) => (
          <input
            {...attributes}
            className="secret"
            readOnly
            value={secret}
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
