import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Category } from "../../../client/index.ts";
import { animalsChanged, names } from "../../api/queries.ts";
import { go } from "../../parts/address.ts";
import { counted, grouped } from "../../parts/counted.ts";
import { Confirmation, Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";
import { Failure, Loading } from "../../parts/notices.tsx";
import { useTell } from "../../parts/toast.tsx";
import { useAskBeforeUnload } from "../../parts/unload.ts";
import { useSession, useStore } from "../../session/session.tsx";
import { allCategories } from "./all-categories.ts";
import { CheckSheet } from "./check-sheet.tsx";
import type { Row } from "./csv-file.ts";
import { type GivenList, nounOf, rejectsNameOf, rowsOf, titleOf } from "./given-list.ts";
import { ImportRun } from "./import-run.ts";
import { keepLeftImport, type StartedImport } from "./left-import.ts";
import type { Plan } from "./plan.ts";
import { RejectList } from "./reject-list.tsx";
import { useDroppedFile } from "./use-dropped-file.ts";
import { usePastedList } from "./use-pasted-list.ts";

/** Adds the animals of a list: choose or paste it, see what would come of it, have it added, see what was not. */
export function ImportAnimals({ list: given, onClose }: { list: GivenList | undefined; onClose: () => void }) {
  const [list, setList] = useState(given);
  const { read, error } = useList(list);
  const { started, isRunning, failure, start, goOn, stop, close } = useRun(onClose);
  const [isAsked, setAsked] = useState(false);
  if (started) {
    const leave = isRunning ? () => setAsked(true) : close;
    const { total, done } = started.run;
    return (
      <Dialog title={title} aside={titleOf(started.list)} kind="middle large" onClose={leave}>
        <progress aria-label={title} value={done} max={total} />
        <p role="status">{isRunning ? `${grouped(done)} of ${grouped(total)}` : outcomeText(started.run)}</p>
        <Failure error={failure} onRetry={goOn} />
        {!isRunning && <Rejected started={started} />}
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
            confirmed={{
              run() {
                stop();
                setAsked(false);
              },
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
          onStart={(plan, columns) => start(plan, read.list, columns)}
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

const title = "Import animals";

/** What has come of an import whose dialog was gone before it was over. */
export function LeftImport({ started, onClose }: { started: StartedImport; onClose: () => void }) {
  const { done, total } = started.run;
  return (
    <Dialog title={title} aside={titleOf(started.list)} kind="middle large" onClose={onClose}>
      <progress aria-label={title} value={done} max={total} />
      <p role="status">{outcomeText(started.run)}</p>
      <Rejected started={started} />
      <footer>
        <button type="button" className="primary" onClick={onClose}>
          Close
        </button>
      </footer>
    </Dialog>
  );
}

function Rejected({ started: { run, list, columns } }: { started: StartedImport }) {
  return <RejectList rejects={run.rejects()} columns={columns} fileName={rejectsNameOf(list)} />;
}

function outcomeText({ added, total }: ImportRun): string {
  return `Added ${grouped(added)} of ${counted(total, "animal")}.`;
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
function useRun(onClose: () => void) {
  const store = useStore();
  const { open } = useSession();
  const queries = useQueryClient();
  const tell = useTell();
  const [started, setStarted] = useState<StartedImport>();
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const [, setSteps] = useState(0);
  const current = useRef<StartedImport>(undefined);
  const isUnderWay = useRef(false);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      // If it is under way, it is kept once it has ended.
      if (isUnderWay.current) current.current?.run.stop();
      else if (current.current) keepLeftImport(current.current);
    };
  }, []);
  useAskBeforeUnload(isRunning);
  const close = useCallback(() => {
    current.current = undefined;
    onClose();
  }, [onClose]);
  /** Goes on with what it has begun. */
  const goOn = useCallback(async () => {
    if (!current.current) return;
    const begun = current.current;
    const { run } = begun;
    isUnderWay.current = true;
    setRunning(true);
    setFailure(undefined);
    try {
      await run.goOn(() => setSteps((steps) => steps + 1));
    } catch (error) {
      setFailure(error);
    }
    isUnderWay.current = false;
    setRunning(false);
    if (run.rejects().length === 0) {
      tell({ text: `Added ${counted(run.added, "animal")}.` });
      close();
    } else if (isGone.current || begun.open.ended()) {
      keepLeftImport(begun);
      const show = () => go({ path: "/animals", parameters: {} });
      tell({ text: `The import has ended. ${outcomeText(run)}`, action: { title: "Show", run: show } });
    }
    await Promise.all([animalsChanged(queries), queries.invalidateQueries({ queryKey: names.categories })]);
  }, [queries, tell, close]);
  const start = useCallback(
    (plan: Plan, list: GivenList, columns: readonly string[]) => {
      if (!open) return;
      current.current = { run: new ImportRun(store, plan), list, columns, open };
      setStarted(current.current);
      goOn();
    },
    [store, open, goOn],
  );
  return { started, isRunning, failure, start, goOn, stop: () => started?.run.stop(), close };
}
