import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import type { AnimalStore } from "../../../packages/client/src/index.ts";
import { type OpenStore, openStore } from "../api/store.ts";
import { removeDrafts } from "../parts/drafts.ts";
import { resetSharedOnSignOut } from "../parts/shared.ts";

/** The key lives as long as the tab or, on request, on the device. It is never part of an address. */
const place = "animal-store-key";

/** Tells the other tabs why the key no longer works. Without it, the user has signed out. */
const farewellPlace = "animal-store-farewell";

interface Session {
  readonly open: OpenStore | undefined;
  /** Why the last session ended, unless the user signed out. */
  readonly farewell: string | undefined;
  signIn(key: string, isKept: boolean): void;
  signOut(): void;
  /** Ends the session like another tab did. */
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
    // Drafts survive a key that was revoked.
    const open = key === undefined ? undefined : openStore(key, leave);
    const signOut = () => {
      removeDrafts();
      resetSharedOnSignOut();
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
    // A sign-out applies to all tabs of the device.
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
  // The tab may have had its own key, while that of the device still works.
  if (reason !== undefined && localStorage.getItem(place) !== key) return;
  // Before the key goes, which makes the other tabs read it.
  if (reason === undefined) localStorage.removeItem(farewellPlace);
  else localStorage.setItem(farewellPlace, reason);
  localStorage.removeItem(place);
}
