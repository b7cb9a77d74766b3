import { Link } from "../parts/link.tsx";
import { Empty } from "../parts/notices.tsx";
import { views } from "../views.ts";

/** For an address that leads nowhere within the page. */
export function NoSuchView() {
  return (
    <Empty title="There is nothing at this address" icon="search">
      <p>It may be mistyped, or what was here has moved. Everything there is starts at one of these:</p>
      <p className="actions">
        {views.map(({ path, title }) => (
          <Link key={path} to={path}>
            {title}
          </Link>
        ))}
      </p>
    </Empty>
  );
}
