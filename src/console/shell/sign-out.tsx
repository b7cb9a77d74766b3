import { Confirmation } from "../parts/dialog.tsx";
import { hasDrafts } from "../parts/drafts.ts";
import { useShownSecret } from "../parts/secret-dialog.tsx";
import { createSharedUntilSignOut, useShared } from "../parts/shared.ts";
import { useSession } from "../session/session.tsx";

const isQuestionOpen = createSharedUntilSignOut(false);

export function useSignOut(): () => void {
  const { signOut } = useSession();
  const secret = useShownSecret();
  return () => (secret || hasDrafts() ? isQuestionOpen.set(true) : signOut());
}

export function SignOutQuestion() {
  const { signOut } = useSession();
  const secret = useShownSecret();
  if (!useShared(isQuestionOpen)) return null;
  return (
    <Confirmation
      title="Sign out?"
      question={
        <>
          {hasDrafts() && "What you have typed has not been saved. "}
          {secret && `${secret.label} is not shown again.`}
        </>
      }
      actionTitle="Sign out"
      cancelText="Stay signed in"
      confirmedAction={{ run: signOut }}
      onClose={() => isQuestionOpen.set(false)}
    />
  );
}
