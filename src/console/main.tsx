import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/api.ts";
import { Console } from "./console.tsx";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Whether the store can be reached is found out by asking it; a laptop may well be the store itself.
      networkMode: "always",
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && ApiError.isPassing(error),
    },
    mutations: { networkMode: "always" },
  },
});

const root = document.getElementById("root");
if (!root) throw new Error("The page has no place for the console.");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Console />
    </QueryClientProvider>
  </StrictMode>,
);
