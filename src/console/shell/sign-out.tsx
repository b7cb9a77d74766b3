import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { Confirmation } from "../parts/dialog.tsx";
import { hasDrafts } from "../parts/drafts.ts";
import { useShownSecret } from "../parts/shown-once.tsx";
import { useSession } from "../session/session.tsx";

const SignOutContext = createContext<() => void>(() => {});

/** Signs out; where something would be lost by that, only after a question. */
export function useSignOut(): () => void {
  return useContext(SignOutContext);
}

export function SignOutProvider({ children }: { children: ReactNode }) {
  const { signOut } = useSession();
  const secret = useShownSecret();
  const [isAsked, setAsked] = useState(false);
  const isSecretShown = secret !== undefined;
  const ask = useCallback(() => {
    if (isSecretShown || hasDrafts()) setAsked(true);
    else signOut();
  }, [isSecretShown, signOut]);
  return (
    <SignOutContext value={ask}>
      {children}
      {isAsked && (
        <Confirmation
          title="Sign out?"
          question={
            <>
              {hasDrafts() && "What you have typed has not been saved. "}
              {secret && `${secret.label} is not shown again.`}
            </>
          }
          action="Sign out"
          refusal="Stay signed in"
          onConfirm={signOut}
          onClose={() => setAsked(false)}
        />
      )}
    </SignOutContext>
  );
}
