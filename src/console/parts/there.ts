import { useLayoutEffect, useRef } from "react";

/** Returns true while the component is mounted. A late response must not close what is open instead. */
export function useIsThere(): () => boolean {
  const isThere = useRef(false);
  useLayoutEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  return () => isThere.current;
}
