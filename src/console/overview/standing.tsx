import type { Inventory } from "../../client/index.ts";
import { petStatuses } from "../../domain/pet.ts";
import { grouped } from "../parts/counted.ts";
import { Link } from "../parts/link.tsx";
import { fills, Swatch } from "./patterns.tsx";

export function Standing({ inventory }: { inventory: Inventory }) {
  const total = petStatuses.reduce((sum, status) => sum + inventory[status], 0);
  const counted = petStatuses.map((status) => ({ status, count: inventory[status], share: inventory[status] / total }));
  let left = 0;
  return (
    <section className="standing card" aria-label="Animals by status">
      <ul className="figures">
        <li>
          <Link to="/animals">
            <span className="figure">{grouped(total)}</span>
            <span className="what">{total === 1 ? "animal" : "animals"} in all</span>
          </Link>
        </li>
        {counted.map(({ status, count, share }) => (
          <li key={status}>
            <Link to={`/animals?status=${status}`}>
              <span className="figure">{grouped(count)}</span>
              <span className="what">
                <Swatch of={status} />
                {status}
                {total > 0 && <span className="share">{percent(share)}</span>}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {total > 0 && (
        <svg className="shares" width="100%" height="14" aria-hidden="true">
          {counted.map(({ status, share }) => {
            const start = left;
            left += share;
            return <rect key={status} x={percentOf(start)} width={percentOf(share)} height="14" fill={fills[status]} />;
          })}
        </svg>
      )}
    </section>
  );
}

function percent(share: number): string {
  return `${share < 0.1 ? Math.round(share * 1_000) / 10 : Math.round(share * 100)}%`;
}

function percentOf(share: number): string {
  return `${share * 100}%`;
}
