import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { UnauthorizedError } from "../../../packages/client/src/index.ts";
import { useAction } from "../api/action.ts";
import { queryKeys } from "../api/queries.ts";
import { openStoreSession } from "../api/store.ts";
import { TextField } from "../parts/controls.tsx";
import { focusOnMount } from "../parts/focus.ts";
import { Icon } from "../parts/icons.tsx";
import { Failure } from "../parts/view.tsx";
import { useSession } from "./session.tsx";

export function SignIn() {
  const { signIn, endReason } = useSession();
  const queries = useQueryClient();
  const [key, setKey] = useState("");
  const [isKeptOnDevice, setKeptOnDevice] = useState(false);
  const attempt = useAction({
    mutationFn: (candidate: string) => openStoreSession(candidate).store.keys.current(),
    onSuccess(current, candidate) {
      queries.setQueryData(queryKeys.currentKey, current);
      signIn(candidate, isKeptOnDevice);
    },
  });
  useEffect(() => {
    document.title = "Sign in – Animal store";
  }, []);
  const complaint = findKeyComplaint(key);
  const isReady = key.trim() !== "" && !complaint;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) attempt.run(key.trim());
  };
  const refusal = attempt.error instanceof UnauthorizedError ? attempt.error.message : undefined;
  return (
    <main className="sign-in">
      <span className="brand">
        <span className="sign">
          <Icon name="animals" size={24} />
        </span>
        Animal store
      </span>
      <h1>Sign in</h1>
      {endReason && !attempt.isError && (
        <div className="notice" role="status">
          <p>You were signed out. {endReason}</p>
        </div>
      )}
      <form onSubmit={submit} noValidate>
        <TextField
          label="API key"
          complaint={refusal ?? (attempt.isSuccess ? undefined : complaint)}
          hint="The service prints one on its first start; an admin can create more."
          ref={focusOnMount}
          type="password"
          spellCheck={false}
          placeholder="ask_…"
          dir={undefined}
          value={key}
          readOnly={attempt.isPending}
          onChange={(text) => {
            setKey(text);
            attempt.reset();
          }}
        />
        <label className="choice">
          <input type="checkbox" checked={isKeptOnDevice} onChange={(event) => setKeptOnDevice(event.target.checked)} />
          <span>
            Keep me signed in on this device
            <small>Only if nobody else uses it. By default, the key is forgotten when this tab closes.</small>
          </span>
        </label>
        {!refusal && <Failure error={attempt.error} />}
        <button type="submit" className="primary" disabled={attempt.isPending || !isReady}>
          {attempt.isPending ? "Signing in" : "Sign in"}
        </button>
      </form>
      <p className="hint">
        Writing a program? <a href="/docs">Read the API reference.</a>
      </p>
    </main>
  );
}

/** Returns a complaint about characters that are not allowed in a header, in which the key is sent. */
function findKeyComplaint(key: string): string | undefined {
  return /^[\x20-\x7e\t]*$/.test(key) ? undefined : "A key contains only ASCII letters, digits and punctuation.";
}
