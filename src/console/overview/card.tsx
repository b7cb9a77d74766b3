import { type ReactNode, useId } from "react";
import { Icon } from "../parts/icons.tsx";
import { Link } from "../parts/link.tsx";

export function Card({
  title,
  aside,
  more,
  className = "",
  children,
}: {
  title: string;
  aside?: ReactNode;
  more?: { readonly to: string; readonly title: string };
  className?: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={`card ${className}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside && <span className="aside">{aside}</span>}
        {more && (
          <Link className="more" to={more.to}>
            {more.title}
            <Icon name="chevron" size={14} />
          </Link>
        )}
      </header>
      {children}
    </section>
  );
}
