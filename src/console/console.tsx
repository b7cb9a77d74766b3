import { useQueryClient } from "@tanstack/react-query";
import { Component, type ComponentType, type ReactNode, Suspense, useEffect } from "react";
import { AddAnimal } from "./animals/add-animal.tsx";
import { AnimalDialog } from "./animals/animal.tsx";
import { useInventory, useIsStoreUnreachable } from "./api/queries.ts";
import { useLiveUpdates } from "./live/live.tsx";
import { OrderDialog } from "./orders/order.tsx";
import { Overview } from "./overview/overview.tsx";
import { changeParameters, Link, useAddress } from "./parts/address.tsx";
import { Button } from "./parts/controls.tsx";
import { useFocusRecovery } from "./parts/focus.ts";
import { Icon } from "./parts/icons.tsx";
import { lazyComponent } from "./parts/lazy.ts";
import { SecretDialog } from "./parts/secret-dialog.tsx";
import { Loading, StoreUnreachableContext } from "./parts/view.tsx";
import { AdminsOnly, ReadOnlyHint, useOfferedViews } from "./session/permission.tsx";
import { SessionProvider, useSession } from "./session/session.tsx";
import { SignIn } from "./session/sign-in.tsx";
import { CommandPalette } from "./shell/command-palette.tsx";
import { SignOutQuestion } from "./shell/sign-out.tsx";
import { TopBar } from "./shell/top-bar.tsx";
import { type View, views } from "./views.ts";

export function Console() {
  return (
    <SessionProvider>
      <ConsoleOrSignIn />
      <SecretDialog />
    </SessionProvider>
  );
}

const loadSmallViewLazily = (name: keyof typeof import("./small-views.ts")) =>
  lazyComponent(async () => (await import("./small-views.ts"))[name]);

/** The component of each view. Lazy components are fetched after the page has loaded, so that the page appears quickly. */
const viewComponents: Readonly<Record<View["path"], ComponentType>> = {
  "/overview": Overview,
  "/animals": lazyComponent(async () => (await import("./animals/catalogue.tsx")).Catalogue),
  "/orders": loadSmallViewLazily("Orders"),
  "/categories": loadSmallViewLazily("Categories"),
  "/activity": loadSmallViewLazily("Activity"),
  "/keys": loadSmallViewLazily("Keys"),
  "/webhooks": loadSmallViewLazily("Webhooks"),
};
const Shortcuts = loadSmallViewLazily("Shortcuts");

function ConsoleOrSignIn() {
  const { storeSession } = useSession();
  useFocusRecovery();
  return storeSession ? <SignedInConsole /> : <SignIn />;
}

function SignedInConsole() {
  const { path, parameters } = useAddress();
  const isReady = useLiveUpdates();
  const view = views.find((each) => each.path === path) ?? views[0];
  const { title } = view;
  const isForAdmins = "scope" in view;
  useEffect(() => {
    document.title = `${title} – Animal store`;
  }, [title]);
  const Content = viewComponents[view.path];
  const { animal, order, end, add, help } = parameters;
  return (
    <StoreUnreachableContext value={useIsStoreUnreachable()}>
      <div className="shell">
        <Sidebar current={view.path} />
        <div className="workspace">
          <TopBar />
          <StoreUnreachableNotice />
          <main key={path} tabIndex={-1}>
            {!isForAdmins && <ReadOnlyHint />}
            {isReady && (
              <ErrorBoundary>
                <Suspense fallback={<Loading what={title} />}>
                  {isForAdmins ? <AdminsOnly view={view} content={Content} /> : <Content />}
                  {help === "keys" && <Shortcuts />}
                </Suspense>
              </ErrorBoundary>
            )}
          </main>
        </div>
      </div>
      {isReady && animal !== undefined && (
        <AnimalDialog key={animal} id={animal} onClose={() => changeParameters({ animal: undefined })} />
      )}
      {isReady && order !== undefined && (
        <OrderDialog
          key={order}
          id={order}
          ending={end === "complete" || end === "cancel" ? end : undefined}
          onClose={() => changeParameters({ order: undefined, end: undefined })}
        />
      )}
      {isReady && add === "animal" && <AddAnimal onClose={() => changeParameters({ add: undefined })} />}
      <CommandPalette />
      <SignOutQuestion />
    </StoreUnreachableContext>
  );
}

function Sidebar({ current }: { current: string }) {
  const views = useOfferedViews();
  return (
    <nav className="sidebar" aria-label="Views">
      <span className="brand">
        <span className="sign">
          <Icon name="animals" size={20} />
        </span>
        <span className="words">Animal store</span>
      </span>
      <div className="links">
        {views.map(({ path, title, icon }) => (
          <Link key={path} to={path} aria-current={path === current ? "page" : undefined}>
            <Icon name={icon} />
            <span className="words">{title}</span>
          </Link>
        ))}
      </div>
      <a className="reference" href="/docs">
        <Icon name="book" />
        <span className="words">API reference</span>
      </a>
    </nav>
  );
}

function StoreUnreachableNotice() {
  const inventory = useInventory(pollMs);
  const queries = useQueryClient();
  const isUnreachable = useIsStoreUnreachable();
  useEffect(() => {
    return isUnreachable ? () => void queries.invalidateQueries() : undefined;
  }, [isUnreachable, queries]);
  if (!isUnreachable) return null;
  return (
    <section aria-label="Connection">
      <div className="notice failure offline" role="alert">
        <Icon name="offline" />
        <p>The store cannot be reached. What you see may be stale; the page reconnects automatically.</p>
        <Button disabled={inventory.isFetching} onClick={() => inventory.refetch()}>
          Try now
        </Button>
      </div>
    </section>
  );
}

/** Interval of polling the inventory. A failed poll also detects an outage of the store. */
const pollMs = 3_000;

/** Shows an error message instead of a view that fails to load or to render. */
class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly failure: unknown }> {
  override state = { failure: undefined };

  static getDerivedStateFromError(failure: unknown) {
    return { failure };
  }

  override render(): ReactNode {
    if (!this.state.failure) return this.props.children;
    return (
      <div className="notice failure" role="alert">
        <Icon name="warning" />
        <p>This part of the page could not be loaded. Check that you are connected, and try again.</p>
        <Button onClick={() => location.reload()}>Try again</Button>
      </div>
    );
  }
}
