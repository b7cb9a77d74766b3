import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Console } from "./console.tsx";
import { navigate } from "./parts/address.tsx";
import { startAppearance } from "./parts/appearance.ts";
import { preloadComponents } from "./parts/lazy.ts";
import { watchForInteraction } from "./parts/window-events.ts";
import { home, views } from "./views.ts";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Whether the store can be reached is found out by asking it; a laptop may well be the store itself.
      networkMode: "always",
      staleTime: 5_000,
      retry: false,
    },
    mutations: { networkMode: "always" },
  },
});

if (location.pathname === home) navigate({ path: views[0].path }, "replace");
startAppearance();
refuseDroppedFiles();
watchForInteraction();

const root = document.getElementById("root");
if (!root) throw new Error("The page has no place for the console.");
const drawn = createRoot(root);
// Not in the same turn as what the page is made of is set up, so that it answers in between.
setTimeout(() =>
  drawn.render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <Console />
      </QueryClientProvider>
    </StrictMode>,
  ),
);

addEventListener("load", () => setTimeout(preloadComponents));

/** Refuses files that are dropped where nothing takes them: the browser would leave the page and show the file. */
function refuseDroppedFiles(): void {
  const refuse = (event: DragEvent) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
    event.dataTransfer.dropEffect = "none";
    event.preventDefault();
  };
  addEventListener("dragover", refuse);
  addEventListener("drop", refuse);
}
