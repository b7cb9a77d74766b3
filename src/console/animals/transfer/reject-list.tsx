import { formatCsvRecord } from "../../../base/csv.ts";
import { Button } from "../../parts/controls.tsx";
import { formatCount, pluralize } from "../../parts/format-count.ts";
import type { Reject } from "./plan.ts";

export function RejectList(props: { rejects: readonly Reject[]; columns: readonly string[]; fileName: string }) {
  const { rejects, columns, fileName } = props;
  if (rejects.length === 0) return null;
  const save = () => download(fileName, formatRejects(rejects, columns));
  return (
    <section className="rejects" aria-label="Rejected lines">
      <header>
        <h3>{pluralize(rejects.length, "line is", "lines are")} rejected</h3>
        <Button onClick={save} icon="download">
          Download
        </Button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the list scrolls, so the keyboard must reach it. */}
      <ul className="failures" tabIndex={0} aria-label="Lines and reasons">
        {rejects.slice(0, maxListedRejects).map(({ row, reason }) => (
          <li key={row.line}>
            <strong>Line {formatCount(row.line)}</strong>
            {reason}
          </li>
        ))}
        {rejects.length > maxListedRejects && <li>The others are in the file that you can download.</li>}
      </ul>
    </section>
  );
}

const maxListedRejects = 100;

function formatRejects(rejects: readonly Reject[], columns: readonly string[]): string[] {
  const records = rejects.map(({ row: { line, fields }, reason }) => {
    const all = Array.from({ length: Math.max(columns.length, fields.length) }, (_, index) => fields[index] ?? "");
    return formatCsvRecord([line, reason, ...all]);
  });
  return [`\ufeff${formatCsvRecord(["line", "reason", ...columns])}`, ...records];
}

export function download(name: string, parts: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Revokes the URL late, because some browsers read the blob some time after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
