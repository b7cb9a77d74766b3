import { useId, useState } from "react";
import type { Inventory } from "../../../packages/client/src/index.ts";
import { petStatuses } from "../../domain/pet.ts";
import { formatDayTitle, formatShortDay } from "../activity/days.ts";
import { Link } from "../parts/address.tsx";
import { useNow } from "../parts/ago.tsx";
import { Button } from "../parts/controls.tsx";
import { formatCount, pluralize } from "../parts/format-count.ts";
import type { DayCount } from "./day-counts.ts";

export function DayChart({ counts }: { counts: readonly DayCount[] }) {
  const now = useNow();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const added = counts.reduce((sum, count) => sum + count.added, 0);
  const sold = counts.reduce((sum, count) => sum + count.sold, 0);
  const days = pluralize(counts.length, "day");
  return (
    <>
      <div className="legend">
        <Link to="/activity?type=pet.created">
          <Swatch of="available" />
          <strong>{formatCount(added)}</strong> added
        </Link>
        <Link to="/animals?status=sold">
          <Swatch of="sold" />
          <strong>{formatCount(sold)}</strong> sold
        </Link>
        <Button className="quiet" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide the table" : "As a table"}
        </Button>
      </div>
      <Bars
        counts={counts}
        now={now}
        label={`Bars by day: ${added} added and ${sold} sold in ${days}. The table that follows has the numbers.`}
      />
      {/* The table is always present for screen readers. */}
      <div id={id} className={isOpen ? "wide" : "unseen"}>
        <table>
          <caption className="unseen">Animals added and sold by day</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Added</th>
              <th scope="col">Sold</th>
            </tr>
          </thead>
          <tbody>
            {counts.toReversed().map((count) => (
              <tr key={count.day}>
                <th scope="row">{formatDayTitle(count.day, now)}</th>
                <td>{formatCount(count.added)}</td>
                <td>{formatCount(count.sold)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Bars for each day. Horizontal positions are percentages, so that the chart fills its container; vertical positions are pixels. */
function Bars({ counts, now, label }: { counts: readonly DayCount[]; now: number; label: string }) {
  const maxCount = roundUp(Math.max(1, ...counts.map(({ added, sold }) => Math.max(added, sold))));
  const slotWidth = 100 / counts.length;
  const labelInterval = Math.ceil(counts.length / 4);
  const renderBar = (count: number, left: number, fill: string) => {
    const height = Math.max(3, (count / maxCount) * plotHeight);
    const position = { x: `${left}%`, y: plotBottom - height, width: `${slotWidth * 0.36}%`, height };
    return count > 0 && <rect {...position} rx="2" fill={fill} />;
  };
  return (
    <svg className="bars" height={plotBottom + axisHeight} role="img" aria-label={label}>
      {[0, 0.5, 1].map((part) => {
        const y = plotBottom - plotHeight * part;
        return (
          <g key={part}>
            <line className={part === 0 ? "axis" : "grid"} x1="0" x2="100%" y1={y} y2={y} />
            {part > 0 && Number.isInteger(maxCount * part) && (
              <text className="scale" x="-8" y={y + 4} textAnchor="end">
                {formatCount(maxCount * part)}
              </text>
            )}
          </g>
        );
      })}
      {counts.map(({ day, added, sold }, index) => {
        const left = index * slotWidth;
        const daysAgo = counts.length - 1 - index;
        const anchor = daysAgo === 0 ? ({ textAnchor: "end", dx: 10 } as const) : ({ textAnchor: "middle" } as const);
        return (
          <g key={day} className="day">
            <title>{`${formatDayTitle(day, now)}: ${formatCount(added)} added, ${formatCount(sold)} sold`}</title>
            <rect className="hit" x={`${left}%`} width={`${slotWidth}%`} y="0" height={plotBottom} />
            {renderBar(added, left + slotWidth * 0.12, fills.available)}
            {renderBar(sold, left + slotWidth * 0.52, fills.sold)}
            {daysAgo % labelInterval === 0 && (
              <text className="scale" x={`${left + slotWidth / 2}%`} y={plotBottom + 18} {...anchor}>
                {daysAgo === 0 ? "Today" : formatShortDay(day)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

const headroomHeight = 16;
const plotHeight = 150;
const plotBottom = headroomHeight + plotHeight;
const axisHeight = 26;

/** Rounds up to a number of the series 1, 2, 4, 6, 8, 10, 20, 40 and so on. */
function roundUp(count: number): number {
  const size = 10 ** Math.floor(Math.log10(count));
  return size * ([1, 2, 4, 6, 8, 10].find((step) => step * size >= count) ?? 10);
}

/** Fills of the charts. The fills differ in pattern as well as in colour, for users who cannot tell the colours apart. */
const fills = {
  available: "url(#fill-available)",
  pending: "url(#fill-pending)",
  sold: "url(#fill-sold)",
} as const;

export function FillPatterns() {
  return (
    <svg className="patterns" width="0" height="0" aria-hidden="true">
      <defs>
        <pattern id="fill-available" width="8" height="8" patternUnits="userSpaceOnUse">
          <rect className="fill available" width="8" height="8" />
        </pattern>
        <pattern id="fill-pending" width="8" height="8" patternUnits="userSpaceOnUse">
          <rect className="fill pending" width="8" height="8" />
          <circle className="gap" cx="4" cy="4" r="1.6" />
        </pattern>
        <pattern id="fill-sold" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect className="fill sold" width="6" height="6" />
          <rect className="gap" width="1.8" height="6" />
        </pattern>
      </defs>
    </svg>
  );
}

function Swatch({ of }: { of: keyof typeof fills }) {
  return (
    <svg className="swatch" width="14" height="14" aria-hidden="true">
      <rect width="14" height="14" rx="3.5" fill={fills[of]} />
    </svg>
  );
}

/** The number of animals by status. Requires at least one animal, because the shares are divided by the total. */
export function InventorySummary({ inventory }: { inventory: Inventory }) {
  const total = petStatuses.reduce((sum, status) => sum + inventory[status], 0);
  let offset = 0;
  const shares = petStatuses.map((status) => {
    const share = inventory[status] / total;
    const start = offset;
    offset += share;
    return { status, count: inventory[status], share, x: `${start * 100}%`, width: `${share * 100}%` };
  });
  return (
    <section className="inventory-summary card" aria-label="Animals by status">
      <ul className="figures">
        <li>
          <Link to="/animals">
            <span className="figure">{formatCount(total)}</span>
            <span className="what">{total === 1 ? "animal" : "animals"} in all</span>
          </Link>
        </li>
        {shares.map(({ status, count, share }) => (
          <li key={status}>
            <Link to={`/animals?status=${status}`}>
              <span className="figure">{formatCount(count)}</span>
              <span className="what">
                <Swatch of={status} />
                {status}
                <span className="share">{formatPercent(share)}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <svg className="shares" width="100%" height="14" aria-hidden="true">
        {shares.map(({ status, x, width }) => (
          <rect key={status} x={x} width={width} height="14" fill={fills[status]} />
        ))}
      </svg>
    </section>
  );
}

function formatPercent(share: number): string {
  return `${share < 0.1 ? Math.round(share * 1_000) / 10 : Math.round(share * 100)}%`;
}
