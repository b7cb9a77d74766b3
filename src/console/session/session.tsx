import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import type { AnimalStore } from "../../../packages/client/src/index.ts";
import { openStoreSession } from "../api/store.ts";
import { removeDrafts } from "../parts/drafts.ts";
import { resetSharedOnSignOut } from "../parts/shared.ts";

/** The storage item of the API key, in the session storage of the tab or, on request, in the local storage of the device. */
const keyItemName = "animal-store-key";

/** The storage item that tells other tabs why the key stopped working. If the item is missing, the user has signed out. */
const endReasonItemName = "animal-store-farewell";

const SessionContext = createContext<ReturnType<typeof useNewSession> | undefined>(undefined);

export function SessionProvider({ children }: { children: ReactNode }) {
  return <SessionContext value={useNewSession()}>{children}</SessionContext>;
}

function useNewSession() {
  const queries = useQueryClient();
  const [key, setKey] = useState(readKey);
  /** The reason why the last session ended; undefined if the user signed out. */
  const [endReason, setEndReason] = useState<string>();
  const session = useMemo(() => {
    const end = (reason?: string) => {
      storeSession?.end();
      if (readKey() === key) removeKey(key, reason);
      queries.clear();
      setEndReason(reason);
      setKey(undefined);
    };
    // A key that stops working ends the session without removing the drafts.
    const storeSession = key === undefined ? undefined : openStoreSession(key, end);
    const signOut = () => {
      removeDrafts();
      resetSharedOnSignOut();
      end();
    };
    return {
      storeSession,
      endReason,
      signIn(accepted: string, isKeptOnDevice: boolean): void {
        localStorage.removeItem(endReasonItemName);
        (isKeptOnDevice ? localStorage : sessionStorage).setItem(keyItemName, accepted);
        setEndReason(undefined);
        setKey(accepted);
      },
      signOut,
      followOtherTabs(): void {
        if (!storeSession || readKey() !== undefined) return;
        const reason = localStorage.getItem(endReasonItemName);
        if (reason === null) signOut();
        else end(reason);
      },
    };
  }, [key, endReason, queries]);
  useEffect(() => {
    addEventListener("storage", session.followOtherTabs);
    return () => removeEventListener("storage", session.followOtherTabs);
  }, [session]);
  return session;
}

export function useSession() {
  const session = useContext(SessionContext);
  if (!session) throw new Error("This component is outside of the SessionProvider.");
  return session;
}

export function useStore(): AnimalStore {
  const { storeSession } = useSession();
  if (!storeSession) throw new Error("No user is signed in.");
  return storeSession.store;
}

function readKey(): string | undefined {
  return sessionStorage.getItem(keyItemName) ?? localStorage.getItem(keyItemName) ?? undefined;
}

function removeKey(key: string | undefined, reason: string | undefined): void {
  sessionStorage.removeItem(keyItemName);
  // The device may store another key, which may still work.
  if (reason !== undefined && localStorage.getItem(keyItemName) !== key) return;
  // The reason is written before the key is removed, because the removal makes other tabs read the reason.
  if (reason === undefined) localStorage.removeItem(endReasonItemName);
  else localStorage.setItem(endReasonItemName, reason);
  localStorage.removeItem(keyItemName);
}
