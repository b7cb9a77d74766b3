import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { useSession } from "../session/session.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { useAskBeforeUnload } from "./unload.ts";

/** A secret that can be shown no other time. */
export interface Secret {
  readonly title: string;
  /** What the secret is called, which begins with "The". */
  readonly label: string;
  readonly secret: string;
  /** What it is for. */
  readonly text: ReactNode;
}

const SecretsContext = createContext<{ readonly shown: Secret | undefined; readonly show: (secret: Secret) => void }>({
  shown: undefined,
  show() {},
});

/**
 * Holds secrets above all views, so that nothing that leads to another one loses them. Only memory has them: no storage, no
 * history, no address. They outlive a key that stops working, but not a person who signs out.
 */
export function ShownOnceProvider({ children }: { children: ReactNode }) {
  const { open, farewell } = useSession();
  const isSignedOut = !open && farewell === undefined;
  const [secrets, setSecrets] = useState<readonly Secret[]>([]);
  useEffect(() => {
    if (isSignedOut) setSecrets([]);
  }, [isSignedOut]);
  const shown = isSignedOut ? undefined : secrets[0];
  const show = useCallback((secret: Secret) => setSecrets((before) => [...before, secret]), []);
  const value = useMemo(() => ({ shown, show }), [shown, show]);
  useAskBeforeUnload(shown !== undefined);
  return (
    <SecretsContext value={value}>
      {children}
      {shown && <ShownOnce key={shown.secret} {...shown} onClose={() => setSecrets(secrets.slice(1))} />}
    </SecretsContext>
  );
}

/** Shows a secret until somebody says that they have it. */
export function useShowOnce(): (secret: Secret) => void {
  return useContext(SecretsContext).show;
}

/** What is shown now, and would be lost. */
export function useShownSecret(): Secret | undefined {
  return useContext(SecretsContext).shown;
}

function ShownOnce({ title, label, secret, text, onClose }: Secret & { onClose: () => void }) {
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
      <p>{text}</p>
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
