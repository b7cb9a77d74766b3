import { Icon } from "../parts/icons.tsx";
import { Link } from "../parts/link.tsx";
import { useOfferedViews } from "../session/permission.tsx";

export function Sidebar({ current }: { current: string }) {
  const views = useOfferedViews();
  return (
    <nav className="sidebar" aria-label="Views">
      <span className="brand">
        <span className="sign">
          <Icon name="animals" size={20} />
        </span>
        <span className="words">Animal store</span>
      </span>
      <div className="links">
        {views.map(({ path, title, icon }) => (
          <Link key={path} to={path} aria-current={path === current ? "page" : undefined}>
            <Icon name={icon} />
            <span className="words">{title}</span>
          </Link>
        ))}
      </div>
      <a className="reference" href="/docs">
        <Icon name="book" />
        <span className="words">API reference</span>
      </a>
    </nav>
  );
}
