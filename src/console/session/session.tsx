import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import type { AnimalStore } from "../../client/index.ts";
import { type OpenStore, openStore } from "../api/store.ts";
import { forgetDrafts } from "../parts/drafts.ts";
import { forgetSharedOfUser } from "../parts/shared.ts";

/** Where the key is: as long as the tab lives or, if the person wants that, on the device. It is never part of an address. */
const place = "animal-store-key";

/** Why the key that was on the device no longer works, for the other tabs: without it, somebody has signed out. */
const farewellPlace = "animal-store-farewell";

interface Session {
  /** Undefined while nobody is signed in. */
  readonly open: OpenStore | undefined;
  /** Why the last session ended, if not by the user's own will. */
  readonly farewell: string | undefined;
  signIn(key: string, isKept: boolean): void;
  signOut(): void;
  /** As in another tab: by a person, or because the key that they share no longer works. */
  follow(): void;
}

const SessionContext = createContext<Session | undefined>(undefined);

export function SessionProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [key, setKey] = useState(keptKey);
  const [farewell, setFarewell] = useState<string>();
  const session = useMemo<Session>(() => {
    const leave = (reason?: string) => {
      open?.end(reason === undefined ? "signed out" : "refused");
      if (keptKey() === key) forgetKey(key, reason);
      queries.clear();
      setFarewell(reason);
      setKey(undefined);
    };
    // What was typed outlives a key that was revoked.
    const open = key === undefined ? undefined : openStore(key, leave);
    const signOut = () => {
      forgetDrafts();
      forgetSharedOfUser();
      leave();
    };
    return {
      open,
      farewell,
      signIn(accepted, isKept) {
        localStorage.removeItem(farewellPlace);
        (isKept ? localStorage : sessionStorage).setItem(place, accepted);
        setFarewell(undefined);
        setKey(accepted);
      },
      signOut,
      follow() {
        if (!open || keptKey() !== undefined) return;
        const reason = localStorage.getItem(farewellPlace);
        if (reason === null) signOut();
        else leave(reason);
      },
    };
  }, [key, farewell, queries]);
  useEffect(() => {
    // Who signs out on this device does so in all of its tabs.
    addEventListener("storage", session.follow);
    return () => removeEventListener("storage", session.follow);
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

function forgetKey(key: string | undefined, reason: string | undefined): void {
  sessionStorage.removeItem(place);
  // The tab may have had a key of its own, and that of the device may still work.
  if (reason !== undefined && localStorage.getItem(place) !== key) return;
  // First, since the other tabs look at it when the key goes.
  if (reason === undefined) localStorage.removeItem(farewellPlace);
  else localStorage.setItem(farewellPlace, reason);
  localStorage.removeItem(place);
}
