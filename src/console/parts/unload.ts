import { useEffect } from "react";

/** Has the browser ask before the page is left or loaded again. */
export function useAskBeforeUnload(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isAsked]);
}
