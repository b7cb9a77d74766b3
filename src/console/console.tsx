import { type ComponentType, Suspense, useEffect } from "react";
import { AddAnimal } from "./animals/add-animal.tsx";
import { AnimalDialog } from "./animals/animal.tsx";
import { useLive } from "./live/live.tsx";
import { OrderDialog } from "./orders/order.tsx";
import { Overview } from "./overview/overview.tsx";
import { changeParameters, useAddress } from "./parts/address.ts";
import { useFocusKept } from "./parts/focus.ts";
import { lazily } from "./parts/lazily.ts";
import { Loading } from "./parts/notices.tsx";
import { ShownOnceProvider } from "./parts/shown-once.tsx";
import { ToastProvider } from "./parts/toast.tsx";
import { LookOnly } from "./session/permission.tsx";
import { SessionProvider, useSession } from "./session/session.tsx";
import { SignIn } from "./session/sign-in.tsx";
import { Boundary } from "./shell/boundary.tsx";
import { Connection } from "./shell/connection.tsx";
import { PaletteProvider } from "./shell/palette.tsx";
import { Shortcuts } from "./shell/shortcuts.tsx";
import { Sidebar } from "./shell/sidebar.tsx";
import { SignOutProvider } from "./shell/sign-out.tsx";
import { TopBar } from "./shell/top-bar.tsx";
import { type View, views } from "./views.ts";

/** The whole page. */
export function Console() {
  return (
    <SessionProvider>
      <ToastProvider>
        <ShownOnceProvider>
          <Frame />
        </ShownOnceProvider>
      </ToastProvider>
    </SessionProvider>
  );
}

/** The first view comes with the page; the others are loaded by themselves, so that the page is there at once. */
const contents: Readonly<Record<View["path"], ComponentType>> = {
  "/overview": Overview,
  "/animals": lazily(async () => (await import("./animals/catalogue.tsx")).Catalogue),
  "/orders": lazily(async () => (await import("./small-views.ts")).Orders),
  "/categories": lazily(async () => (await import("./small-views.ts")).Categories),
  "/activity": lazily(async () => (await import("./small-views.ts")).Activity),
  "/keys": lazily(async () => (await import("./small-views.ts")).Keys),
  "/webhooks": lazily(async () => (await import("./small-views.ts")).Webhooks),
};

function Frame() {
  const { open } = useSession();
  useFocusKept();
  return open ? (
    <SignOutProvider>
      <Workplace />
    </SignOutProvider>
  ) : (
    <SignIn />
  );
}

/** What those see who are signed in. */
function Workplace() {
  const { path, parameters } = useAddress();
  const isReady = useLive();
  // The service knows the same paths, and has a page of its own for all others.
  const view = views.find((each) => each.path === path) ?? views[0];
  const { title } = view;
  useEffect(() => {
    document.title = `${title} – Animal store`;
  }, [title]);
  const Content = contents[view.path];
  const { animal, order, end, add, help } = parameters;
  const without =
    (...gone: string[]) =>
    () =>
      changeParameters(Object.fromEntries(gone.map((name) => [name, undefined])));
  return (
    <PaletteProvider>
      <div className="shell">
        <Sidebar current={view.path} />
        <div className="desk">
          <TopBar />
          <Connection />
          <main key={path} tabIndex={-1}>
            {!("scope" in view) && <LookOnly />}
            {isReady && (
              <Boundary>
                <Suspense fallback={<Loading what={title} />}>
                  <Content />
                </Suspense>
              </Boundary>
            )}
          </main>
        </div>
      </div>
      {isReady && animal !== undefined && <AnimalDialog key={animal} id={animal} onClose={without("animal")} />}
      {isReady && order !== undefined && (
        <OrderDialog
          key={order}
          id={order}
          ending={end === "complete" || end === "cancel" ? end : undefined}
          onClose={without("order", "end")}
        />
      )}
      {isReady && add === "animal" && <AddAnimal onClose={without("add")} />}
      {help === "keys" && <Shortcuts onClose={without("help")} />}
    </PaletteProvider>
  );
}
