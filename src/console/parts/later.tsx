import { type ReactNode, useEffect, useState } from "react";

/** Draws what is in it in a turn of its own, after what is around it, so that the page answers in between. */
export function Later({ children }: { children: ReactNode }) {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true));
    return () => clearTimeout(timer);
  }, []);
  return isDue ? children : null;
}
