import type { ReactNode } from "react";

/** A table of what is not so many. */
export function Listing({
  caption,
  columns,
  hasActions = true,
  isFolding = false,
  children,
}: {
  caption: string;
  /** Those that are minor are left out where there is little room, and the least of them before the others. */
  columns: readonly (readonly [title: string, weight?: "minor" | "minor least"])[];
  /** Whether there is another one behind them, for what can be done. */
  hasActions?: boolean;
  /** Whether that is below the others where there is little room; then three columns are not minor. */
  isFolding?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={isFolding ? "wide folding" : "wide"}>
      <table>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(([title, weight]) => (
              <th key={title} scope="col" className={weight}>
                {title}
              </th>
            ))}
            {hasActions && (
              <th scope="col">
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

/** A time as people here write it. */
export function Time({ at }: { at: string | null }) {
  if (at === null) return <span className="none">never</span>;
  return (
    <time dateTime={at}>{new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })}</time>
  );
}
