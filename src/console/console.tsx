import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { type MouseEvent, type ReactNode, useEffect } from "react";
import { Catalogue } from "./animals/catalogue.tsx";
import { ApiError, unreachable } from "./api/api.ts";
import { names, useInventory } from "./api/queries.ts";
import { Categories } from "./categories/categories.tsx";
import { Keys } from "./keys/keys.tsx";
import { Orders } from "./orders/orders.tsx";
import { type Address, type Go, useAddress } from "./parts/address.ts";
import { useFocusKept } from "./parts/focus.ts";
import { LookOnly, WhoAmI } from "./session/permission.tsx";
import { SessionProvider, useApi, useSession } from "./session/session.tsx";
import { SignIn } from "./session/sign-in.tsx";
import { type View, views } from "./views.ts";

/** The whole page. */
export function Console() {
  return (
    <SessionProvider>
      <Frame />
    </SessionProvider>
  );
}

const contents: Readonly<Record<View["path"], (address: Address, go: Go) => ReactNode>> = {
  "/": (address, go) => <Catalogue address={address} go={go} />,
  "/orders": (address, go) => <Orders address={address} go={go} />,
  "/categories": () => <Categories />,
  "/keys": () => <Keys />,
};

function Frame() {
  const { api, signOut } = useSession();
  const [address, go] = useAddress();
  useFocusKept();
  const view = views.find(({ path }) => path === address.path) ?? views[0];
  useEffect(() => {
    document.title = api ? `${view.title} – Animal store` : "Sign in – Animal store";
  }, [api, view]);
  return (
    <>
      <header className="bar">
        <span className="brand">Animal store</span>
        {api && (
          <>
            <nav aria-label="Views">
              {views.map(({ path, title }) => (
                <a
                  key={path}
                  href={path}
                  aria-current={path === view.path ? "page" : undefined}
                  onClick={(event) => followInPage(event, () => go({ path, parameters: {} }))}
                >
                  {title}
                </a>
              ))}
            </nav>
            <a className="reference" href="/docs">
              API
            </a>
            <WhoAmI />
            <button type="button" className="quiet" onClick={() => signOut()}>
              Sign out
            </button>
          </>
        )}
      </header>
      {api ? (
        <>
          <Connection />
          <main key={view.path} tabIndex={-1} className={view.path === "/" ? "catalogue" : "list"}>
            <h1 className={view.path === "/" ? "unseen" : undefined}>{view.title}</h1>
            <LookOnly />
            {contents[view.path](address, go)}
          </main>
        </>
      ) : (
        <SignIn />
      )}
    </>
  );
}

/** Lets a click with a modifier open a new tab, as it does everywhere. */
function followInPage(event: MouseEvent, follow: () => void): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  follow();
}

/** Says when the store cannot be reached, and that the page goes on trying. */
function Connection() {
  const inventory = useInventory(useApi());
  const queries = useQueryClient();
  const isTrying = useIsFetching({ queryKey: names.inventory }) > 0;
  const isLost = ApiError.is(inventory.failureReason ?? inventory.error, unreachable);
  useEffect(() => {
    // Once it is back, whatever could not be read meanwhile is read.
    return isLost ? () => void queries.invalidateQueries() : undefined;
  }, [isLost, queries]);
  if (!isLost) return null;
  return (
    <div className="notice failure offline" role="alert">
      <p>The store cannot be reached. What you see may be stale; the page reconnects automatically.</p>
      <button type="button" disabled={isTrying} onClick={() => inventory.refetch()}>
        Try now
      </button>
    </div>
  );
}
