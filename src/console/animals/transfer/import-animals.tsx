import { useEffect, useRef, useState } from "react";
import type { Category } from "../../../../packages/client/src/index.ts";
import { invalidateAnimals, queryKeys, useTools } from "../../api/queries.ts";
import { readAllCategories } from "../../categories/create-category.ts";
import { navigate } from "../../parts/address.tsx";
import { Button } from "../../parts/controls.tsx";
import { Confirmation, Dialog } from "../../parts/dialog.tsx";
import { formatCount, pluralize } from "../../parts/format-count.ts";
import { Icon } from "../../parts/icons.tsx";
import { useShared, useUpdateUntilSignOut } from "../../parts/shared.ts";
import { Failure, Loading } from "../../parts/view.tsx";
import { useUnloadWarning } from "../../parts/window-events.ts";
import { useSession, useStore } from "../../session/session.tsx";
import { CheckSheet } from "./check-sheet.tsx";
import type { Row } from "./csv-file.ts";
import { type CurrentImport, currentImport, ImportRun } from "./import-run.ts";
import { fileSource, type ImportSource, readRows, useImportSource } from "./import-source.ts";
import type { Plan } from "./plan.ts";
import { RejectList } from "./reject-list.tsx";

interface ImportAnimalsProps {
  readonly list: ImportSource | undefined;
  readonly onClose: () => void;
}

/** Imports a list in three steps: choose or paste it, check what it would add, add it. A started import is shown first. */
export function ImportAnimals({ list: given, onClose }: ImportAnimalsProps) {
  const [list, setList] = useState(given);
  const { read, error } = useList(list);
  const { started, failure, start, goOn } = useRun();
  if (started) return <Progress started={started} failure={failure} onRetry={() => goOn(started)} />;
  return (
    <Dialog title={title} aside={read?.list.title} kind="middle large" onClose={onClose}>
      {read ? (
        <CheckSheet
          rows={read.rows}
          categories={read.categories}
          list={read.list}
          onStart={(plan, columns) => {
            start(plan, read.list, columns);
            onClose();
          }}
          onClose={onClose}
        />
      ) : list && !error ? (
        <Loading what={list.title} />
      ) : (
        <ChooseList error={error} onList={setList} onClose={onClose} />
      )}
    </Dialog>
  );
}

const title = "Import animals";

interface ProgressProps {
  readonly started: CurrentImport;
  readonly failure: unknown;
  readonly onRetry: () => void;
}

function Progress({ started: { run, list, columns }, failure, onRetry }: ProgressProps) {
  const [isAsked, setAsked] = useState(false);
  const { isRunning, done, total } = run;
  const leave = isRunning ? () => setAsked(true) : dismiss;
  return (
    <Dialog title={title} aside={list.title} kind="middle large" onClose={leave}>
      <progress aria-label={title} value={done} max={total} />
      <p role="status">{isRunning ? `${formatCount(done)} of ${formatCount(total)}` : outcomeText(run)}</p>
      <Failure error={failure} onRetry={onRetry} />
      {!isRunning && <RejectList rejects={run.rejects()} columns={columns} fileName={list.rejectsName} />}
      <footer>
        <Button className={isRunning ? undefined : "primary"} onClick={leave}>
          {isRunning ? "Stop" : "Close"}
        </Button>
      </footer>
      {isRunning && isAsked && (
        <Confirmation
          title="Stop the import?"
          question={`${formatCount(done)} of ${pluralize(total, "line")} done; what is added stays, and the rest will not be added.`}
          action="Stop"
          cancelText="Go on"
          confirmed={{
            run() {
              run.stop();
              setAsked(false);
            },
          }}
          onClose={() => setAsked(false)}
        />
      )}
    </Dialog>
  );
}

function dismiss(): void {
  currentImport.set(undefined);
}

function outcomeText({ added, total }: ImportRun): string {
  return `Added ${formatCount(added)} of ${pluralize(total, "animal")}.`;
}

interface ReadList {
  readonly list: ImportSource;
  readonly rows: readonly Row[];
  readonly categories: readonly Category[];
}

function useList(list: ImportSource | undefined): { readonly read?: ReadList; readonly error?: unknown } {
  const store = useStore();
  const [result, setResult] = useState<{ of: ImportSource; read?: ReadList; error?: unknown }>();
  useEffect(() => {
    if (!list) return;
    let isWanted = true;
    const read = async () => ({
      of: list,
      read: { list, rows: await readRows(list), categories: await readAllCategories(store) },
    });
    read()
      .catch((error) => ({ of: list, error }))
      .then((found) => isWanted && setResult(found));
    return () => {
      isWanted = false;
    };
  }, [list, store]);
  return result && result.of === list ? result : {};
}

interface ChooseListProps {
  readonly error: unknown;
  readonly onList: (list: ImportSource) => void;
  readonly onClose: () => void;
}

function ChooseList({ error, onList, onClose }: ChooseListProps) {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useImportSource(isOnTop, onList);
  return (
    <>
      <Failure error={error} />
      <div className="dropzone" data-over={isOver || undefined}>
        <Icon name="upload" size={28} />
        <p>Drop a CSV file here, paste rows from a spreadsheet, or</p>
        <Button className="primary" onClick={() => input.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={input}
          type="file"
          aria-label="CSV file"
          accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
          hidden
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file) onList(fileSource(file));
            // Lets the user choose the same file again after correcting it.
            target.value = "";
          }}
        />
      </div>
      <p className="hint">
        A column has the names, another the categories, by number or by name; one may have the status. Nothing is added
        before you have seen what would be.
      </p>
      <footer>
        <Button onClick={onClose}>Cancel</Button>
      </footer>
    </>
  );
}

const isOnTop = () => document.querySelectorAll("dialog[open]").length === 1;

/** Runs an import. It ends after the batch in flight when the dialog is gone. */
function useRun() {
  const { store, notify, queries, isMounted } = useTools();
  const { open } = useSession();
  const started = useShared(currentImport);
  const update = useUpdateUntilSignOut(currentImport);
  const [failure, setFailure] = useState<unknown>();
  useUnloadWarning(started?.run.isRunning ?? false);
  useEffect(() => () => currentImport.value?.run.stop(), []);
  const goOn = async (begun: CurrentImport) => {
    const { run } = begun;
    setFailure(undefined);
    // A copy, so that components render again.
    await run.goOn(() => update(() => ({ ...begun }))).catch(setFailure);
    if (run.rejects().length === 0) {
      notify({ text: `Added ${pluralize(run.added, "animal")}.` });
      dismiss();
    } else if (!isMounted() || open?.ended()) {
      const show = () => navigate({ path: "/animals", parameters: {} });
      notify({ text: `The import has ended. ${outcomeText(run)}`, action: { title: "Show", run: show } });
    }
    await Promise.all([invalidateAnimals(queries), queries.invalidateQueries({ queryKey: queryKeys.categories })]);
  };
  const start = (plan: Plan, list: ImportSource, columns: readonly string[]) => {
    goOn({ run: new ImportRun(store, plan), list, columns });
  };
  return { started, failure, start, goOn };
}
