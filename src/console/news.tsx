import { type ReactNode, useEffect } from "react";

/** What has just been done, for a while, over the foot of the page. */
export function News({ children, onOver }: { children: ReactNode; onOver: () => void }) {
  const isThere = Boolean(children);
  useEffect(() => {
    if (!isThere) return;
    const timer = setTimeout(onOver, 12_000);
    return () => clearTimeout(timer);
  }, [isThere, onOver]);
  return (
    <div className="news" role="status">
      {children}
    </div>
  );
}
