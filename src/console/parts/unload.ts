import { useEffect } from "react";

/** Makes the browser ask before it leaves or reloads the page. */
export function useAskBeforeUnload(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isAsked]);
}
