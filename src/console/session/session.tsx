import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import type { AnimalStore } from "../../../packages/client/src/index.ts";
import { type OpenStore, openStore } from "../api/store.ts";
import { removeDrafts } from "../parts/drafts.ts";
import { resetSharedOnSignOut } from "../parts/shared.ts";

/** Where the tab or, on request, the device stores the key. It is never part of an address. */
const keyItem = "animal-store-key";

/** Where the other tabs find why the key no longer works. Without it, the user has signed out. */
const reasonItem = "animal-store-farewell";

interface Session {
  readonly open: OpenStore | undefined;
  /** Why the last session ended, unless the user signed out. */
  readonly endReason: string | undefined;
  signIn(key: string, isStored: boolean): void;
  signOut(): void;
  /** Ends the session if another tab has ended it. */
  followOtherTabs(): void;
}

const SessionContext = createContext<Session | undefined>(undefined);

export function SessionProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [key, setKey] = useState(readKey);
  const [endReason, setEndReason] = useState<string>();
  const session = useMemo<Session>(() => {
    const end = (reason?: string) => {
      open?.end(reason === undefined ? "signed out" : "refused");
      if (readKey() === key) removeKey(key, reason);
      queries.clear();
      setEndReason(reason);
      setKey(undefined);
    };
    // A key that stops working ends the session without removing the drafts.
    const open = key === undefined ? undefined : openStore(key, end);
    const signOut = () => {
      removeDrafts();
      resetSharedOnSignOut();
      end();
    };
    return {
      open,
      endReason,
      signIn(accepted, isStored) {
        localStorage.removeItem(reasonItem);
        (isStored ? localStorage : sessionStorage).setItem(keyItem, accepted);
        setEndReason(undefined);
        setKey(accepted);
      },
      signOut,
      followOtherTabs() {
        if (!open || readKey() !== undefined) return;
        const reason = localStorage.getItem(reasonItem);
        if (reason === null) signOut();
        else end(reason);
      },
    };
  }, [key, endReason, queries]);
  useEffect(() => {
    addEventListener("storage", session.followOtherTabs);
    return () => removeEventListener("storage", session.followOtherTabs);
  }, [session]);
  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("This component is outside of the SessionProvider.");
  return session;
}

export function useStore(): AnimalStore {
  const { open } = useSession();
  if (!open) throw new Error("No user is signed in.");
  return open.store;
}

function readKey(): string | undefined {
  return sessionStorage.getItem(keyItem) ?? localStorage.getItem(keyItem) ?? undefined;
}

function removeKey(key: string | undefined, reason: string | undefined): void {
  sessionStorage.removeItem(keyItem);
  // If the key of this tab was refused, that of the device may be another, which still works.
  if (reason !== undefined && localStorage.getItem(keyItem) !== key) return;
  // The reason is stored first: when the key is removed, the other tabs read it.
  if (reason === undefined) localStorage.removeItem(reasonItem);
  else localStorage.setItem(reasonItem, reason);
  localStorage.removeItem(keyItem);
}
