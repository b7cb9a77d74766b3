import { csvRecord } from "../../../base/csv.ts";
import { Button } from "../../parts/button.tsx";
import { counted, grouped } from "../../parts/counted.ts";
import { Icon } from "../../parts/icons.tsx";
import { download } from "./download.ts";
import type { Reject } from "./plan.ts";

/** The lines of a list that are not added, with the reason, and a way to keep them. */
export function RejectList({
  rejects,
  columns,
  fileName,
}: {
  rejects: readonly Reject[];
  columns: readonly string[];
  /** What they are saved as. */
  fileName: string;
}) {
  if (rejects.length === 0) return null;
  const save = () => download(fileName, rejectedFile(rejects, columns));
  return (
    <section className="rejects" aria-label="Rejected lines">
      <header>
        <h3>{counted(rejects.length, "line is", "lines are")} rejected</h3>
        <Button onClick={save}>
          <Icon name="download" size={16} />
          Download
        </Button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it. */}
      <ul className="failures" tabIndex={0} aria-label="Lines and reasons">
        {rejects.slice(0, mostShown).map(({ row, reason }) => (
          <li key={row.line}>
            <strong>Line {grouped(row.line)}</strong>
            {reason}
          </li>
        ))}
        {rejects.length > mostShown && <li>The others are in the file that you can download.</li>}
      </ul>
    </section>
  );
}

const mostShown = 100;

/** The lines as they were, with the reason behind them, so that the file can be mended and imported. */
function rejectedFile(rejects: readonly Reject[], columns: readonly string[]): string[] {
  const records = rejects.map(({ row: { line, fields }, reason }) => {
    const all = Array.from({ length: Math.max(columns.length, fields.length) }, (_, index) => fields[index] ?? "");
    return csvRecord([line, reason, ...all]);
  });
  return [`\ufeff${csvRecord(["line", "reason", ...columns])}`, ...records];
}
