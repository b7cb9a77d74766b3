import { type ReactNode, useCallback, useState } from "react";
import { Button, TextField } from "./controls.tsx";
import { Dialog } from "./dialog.tsx";
import { createSharedUntilSignOut, useShared, useUpdateUntilSignOut } from "./shared.ts";
import { useUnloadWarning } from "./window-events.ts";

export interface Secret {
  readonly title: string;
  /** The name of the secret, which begins with "The". */
  readonly label: string;
  readonly secret: string;
  readonly text: ReactNode;
}

/** Secrets to show, kept only in memory. Navigation and the expiry of the user's key keep the secrets; a sign-out discards them. */
const secrets = createSharedUntilSignOut<readonly Secret[]>([]);

export function useShowSecret(): (secret: Secret) => void {
  const update = useUpdateUntilSignOut(secrets);
  return useCallback((secret) => update((before) => [...before, secret]), [update]);
}

export function useShownSecret(): Secret | undefined {
  return useShared(secrets)[0];
}

export function SecretDialog() {
  const secret = useShownSecret();
  useUnloadWarning(secret !== undefined);
  return secret && <ShownSecret key={secret.secret} {...secret} />;
}

function ShownSecret({ title, label, secret, text }: Secret) {
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
      <TextField
        label={label}
        className="secret"
        readOnly
        value={secret}
        onChange={() => {}}
        onFocus={(event) => event.currentTarget.select()}
      />
      <p role="status">{note}</p>
      <footer>
        <Button onClick={() => secrets.set(secrets.value.slice(1))}>I have saved it</Button>
        <Button className="primary" onClick={copy}>
          Copy
        </Button>
      </footer>
    </Dialog>
  );
}
