import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Category } from "../../../client/index.ts";
import { adviceFor } from "../../api/errors.ts";
import { animalsChanged, names } from "../../api/queries.ts";
import { counted, grouped } from "../../parts/counted.ts";
import { Confirmation, Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";
import { Failure, Loading } from "../../parts/notices.tsx";
import { useTell } from "../../parts/toast.tsx";
import { useAskBeforeUnload } from "../../parts/unload.ts";
import { useStore } from "../../session/session.tsx";
import { allCategories } from "./all-categories.ts";
import { CheckSheet } from "./check-sheet.tsx";
import type { Row } from "./csv-file.ts";
import { type GivenList, nounOf, rejectsNameOf, rowsOf, titleOf } from "./given-list.ts";
import { ImportRun } from "./import-run.ts";
import type { Plan } from "./plan.ts";
import { RejectList } from "./reject-list.tsx";
import { useDroppedFile } from "./use-dropped-file.ts";
import { usePastedList } from "./use-pasted-list.ts";

/** Adds the animals of a list: choose or paste it, see what would come of it, have it added, see what was not. */
export function ImportAnimals({ list: given, onClose }: { list: GivenList | undefined; onClose: () => void }) {
  const [list, setList] = useState(given);
  const { read, error } = useList(list);
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
      <Dialog title={title} aside={list && titleOf(list)} kind="middle large" onClose={leave}>
        <progress aria-label={title} value={done} max={total} />
        <p role="status">
          {isRunning
            ? `${grouped(done)} of ${grouped(total)}`
            : `Added ${grouped(added)} of ${counted(total, "animal")}.`}
        </p>
        <Failure error={failure} onRetry={() => start()} />
        {!isRunning && list && <RejectList rejects={run.rejects()} columns={columns} fileName={rejectsNameOf(list)} />}
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
    <Dialog title={title} aside={read && titleOf(read.list)} kind="middle large" onClose={onClose}>
      {read ? (
        <CheckSheet
          rows={read.rows}
          categories={read.categories}
          noun={nounOf(read.list)}
          rejectsName={rejectsNameOf(read.list)}
          onStart={begin}
          onClose={onClose}
        />
      ) : list && !error ? (
        <Loading what={titleOf(list)} />
      ) : (
        <ChooseList error={error} onList={setList} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface ReadList {
  readonly list: GivenList;
  readonly rows: readonly Row[];
  readonly categories: readonly Category[];
}

function useList(list: GivenList | undefined): { readonly read: ReadList | undefined; readonly error: unknown } {
  const store = useStore();
  const [result, setResult] = useState<{ list: GivenList; read?: ReadList; error?: unknown }>();
  useEffect(() => {
    if (!list) return;
    let isWanted = true;
    const take = async () => {
      const rows = await rowsOf(list);
      const read = { list, rows, categories: await allCategories(store) };
      if (isWanted) setResult({ list, read });
    };
    take().catch((error) => {
      if (isWanted) setResult({ list, error });
    });
    return () => {
      isWanted = false;
    };
  }, [list, store]);
  return result && result.list === list
    ? { read: result.read, error: result.error }
    : { read: undefined, error: undefined };
}

function ChooseList({
  error,
  onList,
  onClose,
}: {
  error: unknown;
  onList: (list: GivenList) => void;
  onClose: () => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const takeFile = useCallback((file: File) => onList({ file }), [onList]);
  const isOver = useDroppedFile(isOnTop, takeFile);
  usePastedList(isOnTop, onList);
  return (
    <>
      <Failure error={error} />
      <div className="dropzone" data-over={isOver || undefined}>
        <Icon name="upload" size={28} />
        <p>Drop a CSV file here, paste rows from a spreadsheet, or</p>
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
            if (chosen) takeFile(chosen);
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

/** Whether no other dialog, such as the palette, is over that of the import. */
const isOnTop = () => document.querySelectorAll("dialog[open]").length === 1;

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
  useAskBeforeUnload(isRunning);
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
