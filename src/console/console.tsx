import { type ComponentType, Suspense, useEffect } from "react";
import { AddAnimal } from "./animals/add-animal.tsx";
import { AnimalDialog } from "./animals/animal.tsx";
import { useAdvisor } from "./api/queries.ts";
import { useLive } from "./live/live.tsx";
import { OrderDialog } from "./orders/order.tsx";
import { Overview } from "./overview/overview.tsx";
import { changeParameters, useAddress } from "./parts/address.ts";
import { useFocusKept } from "./parts/focus.ts";
import { lazily } from "./parts/lazily.ts";
import { AdvisorContext, Loading } from "./parts/notices.tsx";
import { SecretDialog } from "./parts/shown-once.tsx";
import { LookOnly } from "./session/permission.tsx";
import { SessionProvider, useSession } from "./session/session.tsx";
import { SignIn } from "./session/sign-in.tsx";
import { Boundary } from "./shell/boundary.tsx";
import { Connection } from "./shell/connection.tsx";
import { Palette } from "./shell/palette.tsx";
import { Shortcuts } from "./shell/shortcuts.tsx";
import { Sidebar } from "./shell/sidebar.tsx";
import { SignOutQuestion } from "./shell/sign-out.tsx";
import { TopBar } from "./shell/top-bar.tsx";
import { type View, views } from "./views.ts";

/** The whole page. */
export function Console() {
  return (
    <SessionProvider>
      <Frame />
      <SecretDialog />
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
  return open ? <Workplace /> : <SignIn />;
}

/** The page of a signed-in user. */
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
  return (
    <AdvisorContext value={useAdvisor()}>
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
      {help === "keys" && <Shortcuts onClose={() => changeParameters({ help: undefined })} />}
      <Palette />
      <SignOutQuestion />
    </AdvisorContext>
  );
}
