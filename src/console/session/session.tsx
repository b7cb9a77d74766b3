import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import type { AnimalStore } from "../../client/index.ts";
import { openStore } from "../api/store.ts";

/** The key lives as long as the tab, and is never part of an address. */
const place = "animal-store-key";

interface Session {
  /** Undefined while nobody is signed in. */
  readonly store: AnimalStore | undefined;
  /** Why the last session ended, if not by the user's own will. */
  readonly farewell: string | undefined;
  signIn(key: string): void;
  signOut(farewell?: string): void;
}

const SessionContext = createContext<Session | undefined>(undefined);

export function SessionProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [key, setKey] = useState(() => sessionStorage.getItem(place) ?? undefined);
  const [farewell, setFarewell] = useState<string>();
  const session = useMemo<Session>(() => {
    const signOut = (reason?: string) => {
      open?.end();
      sessionStorage.removeItem(place);
      queries.clear();
      setFarewell(reason);
      setKey(undefined);
    };
    const open = key === undefined ? undefined : openStore(key, signOut);
    return {
      store: open?.store,
      farewell,
      signIn(accepted) {
        sessionStorage.setItem(place, accepted);
        setFarewell(undefined);
        setKey(accepted);
      },
      signOut,
    };
  }, [key, farewell, queries]);
  return <SessionContext value={session}>{children}</SessionContext>;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("There is no session around this.");
  return session;
}

/** The store, for those who are signed in. */
export function useStore(): AnimalStore {
  const { store } = useSession();
  if (!store) throw new Error("Nobody is signed in.");
  return store;
}
