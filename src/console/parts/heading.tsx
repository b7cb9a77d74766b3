import type { ReactNode } from "react";

export function Heading({ title, aside, children }: { title: string; aside?: ReactNode; children?: ReactNode }) {
  return (
    <header className="heading">
      <h1 tabIndex={-1}>{title}</h1>
      {aside !== undefined && <p className="aside">{aside}</p>}
      {children && <div className="actions">{children}</div>}
    </header>
  );
}
