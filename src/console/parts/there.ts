import { useLayoutEffect, useRef } from "react";

/**
 * Tells whether the component is still on the page. What it has sent may be answered after somebody has left it, and then must
 * not close what is open instead.
 */
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
