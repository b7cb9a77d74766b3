import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Category } from "../../../client/index.ts";
import { adviceFor, Complaint } from "../../api/errors.ts";
import { animalsChanged, names } from "../../api/queries.ts";
import { counted, grouped } from "../../parts/counted.ts";
import { Confirmation, Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";
import { Failure, Loading } from "../../parts/notices.tsx";
import { useTell } from "../../parts/toast.tsx";
import { useStore } from "../../session/session.tsx";
import { allCategories } from "./all-categories.ts";
import { CheckSheet } from "./check-sheet.tsx";
import { type Row, rowsIn, textOf } from "./csv-file.ts";
import { ImportRun } from "./import-run.ts";
import type { Plan } from "./plan.ts";
import { RejectList } from "./reject-list.tsx";
import { useDroppedFile } from "./use-dropped-file.ts";

/** Adds the animals of a CSV file: choose it, see what would come of it, have it added, see what was not. */
export function ImportAnimals({ file: given, onClose }: { file: File | undefined; onClose: () => void }) {
  const [file, setFile] = useState(given);
  const { read, error } = useFile(file);
  const { run, isRunning, failure, start, stop } = useRun(onClose);
  const [columns, setColumns] = useState<readonly string[]>([]);
  const [isAsked, setAsked] = useState(false);
  const begin = (plan: Plan, titles: readonly string[]) => {
    setColumns(titles);
    start(plan);
  };
  const title = "Import animals";
  if (run) {
    const leave = isRunning ? () => setAsked(true) : onClose;
    const { added, total, done } = run;
    return (
      <Dialog title={title} aside={file?.name} kind="middle large" onClose={leave}>
        <progress aria-label={title} value={done} max={total} />
        <p role="status">
          {isRunning
            ? `${grouped(done)} of ${grouped(total)}`
            : `Added ${grouped(added)} of ${counted(total, "animal")}.`}
        </p>
        <Failure error={failure} onRetry={() => start()} />
        {!isRunning && <RejectList rejects={run.rejects()} columns={columns} fileName={file?.name ?? ""} />}
        <footer>
          <button type="button" className={isRunning ? undefined : "primary"} onClick={leave}>
            {isRunning ? "Stop" : "Close"}
          </button>
        </footer>
        {isRunning && isAsked && (
          <Confirmation
            title="Stop the import?"
            question={`${grouped(done)} of ${counted(total, "line")} done; what is added stays, and the rest will not be added.`}
            action="Stop"
            refusal="Go on"
            onConfirm={() => {
              stop();
              setAsked(false);
            }}
            onClose={() => setAsked(false)}
          />
        )}
      </Dialog>
    );
  }
  return (
    <Dialog title={title} aside={read && file?.name} kind="middle large" onClose={onClose}>
      {read ? (
        <CheckSheet
          key={read.name}
          rows={read.rows}
          categories={read.categories}
          fileName={read.name}
          onStart={begin}
          onClose={onClose}
        />
      ) : file && !error ? (
        <Loading what={file.name} />
      ) : (
        <ChooseFile error={error} onFile={setFile} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface ReadFile {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly categories: readonly Category[];
}

function useFile(file: File | undefined): { readonly read: ReadFile | undefined; readonly error: unknown } {
  const store = useStore();
  const [result, setResult] = useState<{ file: File; read?: ReadFile; error?: unknown }>();
  useEffect(() => {
    if (!file) return;
    let isWanted = true;
    const take = async () => {
      const rows = await rowsOf(file);
      const read = { name: file.name, rows, categories: await allCategories(store) };
      if (isWanted) setResult({ file, read });
    };
    take().catch((error) => {
      if (isWanted) setResult({ file, error });
    });
    return () => {
      isWanted = false;
    };
  }, [file, store]);
  return result && result.file === file
    ? { read: result.read, error: result.error }
    : { read: undefined, error: undefined };
}

/** Throws Complaint if it is of no use. */
async function rowsOf(file: File): Promise<readonly Row[]> {
  if (file.size > mostBytes) throw new Complaint(tooMuch);
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Complaint("This file cannot be read. Choose it again, and choose a file, not a folder.");
  });
  const rows = rowsIn(textOf(new Uint8Array(bytes)));
  if (rows.length === 0) throw new Complaint("This file is empty.");
  if (rows.length > mostRows) throw new Complaint(tooMuch);
  return rows;
}

/** As much as a page can hold and check without anybody having to wait. */
const mostRows = 100_000;
const mostBytes = 32 * 1_024 * 1_024;
const tooMuch = `This file is too large for this page, which accepts up to ${grouped(mostRows)} lines. Split it, or ask the operator of the store to use animal-store import.`;

function ChooseFile({ error, onFile, onClose }: { error: unknown; onFile: (file: File) => void; onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useDroppedFile(always, onFile);
  return (
    <>
      <Failure error={error} />
      <div className="dropzone" data-over={isOver || undefined}>
        <Icon name="upload" size={28} />
        <p>Drop a CSV file here, or</p>
        <button type="button" className="primary" onClick={() => input.current?.click()}>
          Choose a file
        </button>
        <input
          ref={input}
          type="file"
          aria-label="CSV file"
          accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
          hidden
          onChange={({ target }) => {
            const [chosen] = target.files ?? [];
            if (chosen) onFile(chosen);
            // So that the same file can be chosen again once it was mended.
            target.value = "";
          }}
        />
      </div>
      <p className="hint">
        A column has the names, another the categories, by number or by name; one may have the status. Nothing is added
        before you have seen what would be.
      </p>
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </footer>
    </>
  );
}

const always = () => true;

/** Runs an import, and asks before the page is left meanwhile. */
function useRun(onWhole: () => void) {
  const store = useStore();
  const queries = useQueryClient();
  const tell = useTell();
  const [run, setRun] = useState<ImportRun>();
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [, setSteps] = useState(0);
  const current = useRef<ImportRun>(undefined);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      current.current?.stop();
    };
  }, []);
  useEffect(() => {
    if (!isRunning) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isRunning]);
  /** Without a plan, it goes on with what it has begun. */
  const start = useCallback(
    async (plan?: Plan) => {
      const started = plan ? new ImportRun(store, plan) : current.current;
      if (!started) return;
      current.current = started;
      setRun(started);
      setRunning(true);
      setFailure(undefined);
      try {
        await started.goOn(() => setSteps((steps) => steps + 1));
        const isWhole = started.rejects().length === 0;
        const count = counted(started.added, "animal");
        if (isWhole || isGone.current)
          tell({ text: isWhole ? `Added ${count}.` : `The import ended: added ${count}.` });
        if (isWhole) onWhole();
      } catch (error) {
        if (isGone.current) tell({ text: adviceFor(error) });
        setFailure(error);
      } finally {
        setRunning(false);
        await Promise.all([animalsChanged(queries), queries.invalidateQueries({ queryKey: names.categories })]);
      }
    },
    [store, queries, tell, onWhole],
  );
  return { run, isRunning, failure, start, stop: () => run?.stop() };
}
