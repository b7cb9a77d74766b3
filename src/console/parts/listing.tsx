import type { CSSProperties, ReactNode } from "react";

/**
 * How much a column matters: a long one takes the room that the others leave, up to its longest text. Those that are minor are
 * left out where there is little room, and the least of them before the others.
 */
type Weight = "long" | "minor" | "minor least";

/** A table of what is not so many. */
export function Listing({
  caption,
  columns,
  hasActions = true,
  isFolding = false,
  children,
}: {
  caption: string;
  columns: readonly (readonly [title: string, weight?: Weight])[];
  /** Whether there is another one behind them, for what can be done. */
  hasActions?: boolean;
  /** Whether that is below the others where there is little room. */
  isFolding?: boolean;
  children: ReactNode;
}) {
  const weights = columns.map(([, weight]) => weight);
  const tracks = {
    "--columns": tracksOf(weights),
    "--without-least": tracksOf(weights.filter((weight) => weight !== "minor least")),
    "--without-minor": tracksOf(weights.filter((weight) => !weight?.startsWith("minor"))),
  };
  return (
    <div className={isFolding ? "wide listing folding" : "wide listing"}>
      <table style={tracks as CSSProperties}>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(([title, weight]) => (
              <th key={title} scope="col" className={weight}>
                {title}
              </th>
            ))}
            {hasActions && (
              <th scope="col" className="actions">
                <span className="unseen">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function tracksOf(weights: readonly (Weight | undefined)[]): string {
  return weights.map((weight) => (weight === "long" ? "var(--long)" : "auto")).join(" ");
}

/** A time as people here write it. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return <span className="none">never</span>;
  return (
    <time dateTime={at}>{new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}</time>
  );
}
