import { type ReactNode, useEffect } from "react";

/** What has just been done, for a while, over the foot of the page. */
export function News({
  of,
  children,
  onOver,
}: {
  /** What the news are of: for something else, the time begins anew. */
  of: unknown;
  children: ReactNode;
  onOver: () => void;
}) {
  useEffect(() => {
    if (!of) return;
    const timer = setTimeout(onOver, 12_000);
    return () => clearTimeout(timer);
  }, [of, onOver]);
  return (
    <div className="news" role="status">
      {children}
    </div>
  );
}
