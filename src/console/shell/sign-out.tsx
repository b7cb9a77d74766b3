import { Confirmation } from "../parts/dialog.tsx";
import { hasDrafts } from "../parts/drafts.ts";
import { useShownSecret } from "../parts/secret-dialog.tsx";
import { sharedUntilSignOut, useShared } from "../parts/shared.ts";
import { useSession } from "../session/session.tsx";

const isAsked = sharedUntilSignOut(false);

export function useSignOut(): () => void {
  const { signOut } = useSession();
  const secret = useShownSecret();
  return () => (secret || hasDrafts() ? isAsked.set(true) : signOut());
}

export function SignOutQuestion() {
  const { signOut } = useSession();
  const secret = useShownSecret();
  if (!useShared(isAsked)) return null;
  return (
    <Confirmation
      title="Sign out?"
      question={
        <>
          {hasDrafts() && "What you have typed has not been saved. "}
          {secret && `${secret.label} is not shown again.`}
        </>
      }
      action="Sign out"
      cancelText="Stay signed in"
      confirmed={{ run: signOut }}
      onClose={() => isAsked.set(false)}
    />
  );
}
