import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Console } from "./console.tsx";
import { navigate } from "./parts/address.tsx";
import { preloadComponents } from "./parts/lazy.ts";
import { homePath, views } from "./views.ts";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Requests are sent even if the browser is offline, because the store may run on the same machine.
      networkMode: "always",
      staleTime: 5_000,
      retry: false,
    },
    mutations: { networkMode: "always" },
  },
});

if (location.pathname === homePath) navigate({ path: views[0].path }, "replace");
refuseDroppedFiles();

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element with the id root.");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Console />
    </QueryClientProvider>
  </StrictMode>,
);

addEventListener("load", () => setTimeout(preloadComponents));

/** Refuses files that are dropped outside a drop zone. By default, the browser would leave the page to open the file. */
function refuseDroppedFiles(): void {
  const refuse = (event: DragEvent) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
    event.dataTransfer.dropEffect = "none";
    event.preventDefault();
  };
  addEventListener("dragover", refuse);
  addEventListener("drop", refuse);
}
