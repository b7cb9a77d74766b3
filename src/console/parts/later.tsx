import { type ReactNode, useEffect, useState } from "react";

/** Draws its content in a task of its own, so that the page stays responsive. */
export function Later({ children }: { children: ReactNode }) {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true));
    return () => clearTimeout(timer);
  }, []);
  return isDue ? children : null;
}
