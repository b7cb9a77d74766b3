import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { Api } from "../api/api.ts";

/** The key lives as long as the tab, and is never part of an address. */
const place = "animal-store-key";

interface Session {
  readonly api: Api | undefined;
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
      api?.end();
      sessionStorage.removeItem(place);
      queries.clear();
      setFarewell(reason);
      setKey(undefined);
    };
    const api = key === undefined ? undefined : new Api(key, signOut);
    return {
      api,
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

/** The store's interface, for those who are signed in. */
export function useApi(): Api {
  const { api } = useSession();
  if (!api) throw new Error("Nobody is signed in.");
  return api;
}
