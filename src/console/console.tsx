import { type ComponentType, useEffect } from "react";
import { AddAnimal } from "./animals/add-animal.tsx";
import { AnimalDialog } from "./animals/animal.tsx";
import { Catalogue } from "./animals/catalogue.tsx";
import { Categories } from "./categories/categories.tsx";
import { Keys } from "./keys/keys.tsx";
import { Orders } from "./orders/orders.tsx";
import { currentParameters, useAddress } from "./parts/address.ts";
import { useFocusKept } from "./parts/focus.ts";
import { ToastProvider } from "./parts/toast.tsx";
import { LookOnly } from "./session/permission.tsx";
import { SessionProvider, useSession } from "./session/session.tsx";
import { SignIn } from "./session/sign-in.tsx";
import { Connection } from "./shell/connection.tsx";
import { NoSuchView } from "./shell/no-such-view.tsx";
import { PaletteProvider } from "./shell/palette.tsx";
import { Sidebar } from "./shell/sidebar.tsx";
import { TopBar } from "./shell/top-bar.tsx";
import { type View, views } from "./views.ts";

/** The whole page. */
export function Console() {
  return (
    <SessionProvider>
      <ToastProvider>
        <Frame />
      </ToastProvider>
    </SessionProvider>
  );
}

const contents: Readonly<Record<View["path"], ComponentType>> = {
  "/animals": Catalogue,
  "/orders": Orders,
  "/categories": Categories,
  "/keys": Keys,
};

function Frame() {
  const { store } = useSession();
  const [{ path, parameters }, go] = useAddress();
  useFocusKept();
  const view = views.find((each) => each.path === path);
  const title = store ? (view?.title ?? "Not found") : "Sign in";
  useEffect(() => {
    document.title = `${title} – Animal store`;
  }, [title]);
  if (!store) return <SignIn />;
  const Content = view ? contents[view.path] : NoSuchView;
  const { animal, add } = parameters;
  return (
    <PaletteProvider>
      <div className="shell">
        <Sidebar current={view?.path} />
        <div className="desk">
          <TopBar />
          <Connection />
          <main key={path} tabIndex={-1}>
            <LookOnly />
            <Content />
          </main>
        </div>
      </div>
      {animal !== undefined && (
        <AnimalDialog
          key={animal}
          id={animal}
          onClose={() => go({ parameters: { ...currentParameters(), animal: undefined } })}
        />
      )}
      {add === "animal" && <AddAnimal onClose={() => go({ parameters: { ...currentParameters(), add: undefined } })} />}
    </PaletteProvider>
  );
}
