import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import type { AnimalStore } from "../../client/index.ts";
import { type OpenStore, openStore } from "../api/store.ts";
import { forgetDrafts } from "../parts/drafts.ts";

/** Where the key is: as long as the tab lives or, if the person wants that, on the device. It is never part of an address. */
const place = "animal-store-key";

interface Session {
  /** Undefined while nobody is signed in. */
  readonly open: OpenStore | undefined;
  /** Why the last session ended, if not by the user's own will. */
  readonly farewell: string | undefined;
  signIn(key: string, isKept: boolean): void;
  signOut(): void;
}

const SessionContext = createContext<Session | undefined>(undefined);

export function SessionProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [key, setKey] = useState(keptKey);
  const [farewell, setFarewell] = useState<string>();
  const session = useMemo<Session>(() => {
    const leave = (reason?: string) => {
      open?.end();
      if (keptKey() === key) forgetKey();
      queries.clear();
      setFarewell(reason);
      setKey(undefined);
    };
    // What was typed outlives a key that was revoked.
    const open = key === undefined ? undefined : openStore(key, leave);
    return {
      open,
      farewell,
      signIn(accepted, isKept) {
        (isKept ? localStorage : sessionStorage).setItem(place, accepted);
        setFarewell(undefined);
        setKey(accepted);
      },
      signOut() {
        forgetDrafts();
        leave();
      },
    };
  }, [key, farewell, queries]);
  useEffect(() => {
    // Who signs out on this device does so in all of its tabs.
    const follow = () => {
      if (session.open && keptKey() === undefined) session.signOut();
    };
    addEventListener("storage", follow);
    return () => removeEventListener("storage", follow);
  }, [session]);
  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("There is no session around this.");
  return session;
}

/** The store, for those who are signed in. */
export function useStore(): AnimalStore {
  const { open } = useSession();
  if (!open) throw new Error("Nobody is signed in.");
  return open.store;
}

function keptKey(): string | undefined {
  return sessionStorage.getItem(place) ?? localStorage.getItem(place) ?? undefined;
}

function forgetKey(): void {
  sessionStorage.removeItem(place);
  localStorage.removeItem(place);
}
