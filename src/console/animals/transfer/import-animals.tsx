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
import type { Row } from "./csv-file.ts";
import { ImportPreview } from "./import-preview.tsx";
import { type CurrentImport, currentImport, ImportRun } from "./import-run.ts";
import { createFileSource, type ImportSource, readRows, useImportSource } from "./import-source.ts";
import type { Plan } from "./plan.ts";
import { RejectList } from "./reject-list.tsx";

/** Imports a list in three steps: choose the list, preview the result, add the animals. If an import is running, shows its progress. */
export function ImportAnimals({ onClose, ...props }: { source: ImportSource | undefined; onClose: () => void }) {
  const [source, setSource] = useState(props.source);
  const { read, error } = useParsedSource(source);
  const { current, failure, start, resume } = useImportRun();
  if (current) return <Progress current={current} failure={failure} onRetry={() => resume(current)} />;
  return (
    <Dialog title={title} aside={read?.source.title} kind="middle large" onClose={onClose}>
      {read ? (
        <ImportPreview
          {...read}
          onStart={(plan, columns) => {
            start(plan, read.source, columns);
            onClose();
          }}
          onClose={onClose}
        />
      ) : source && !error ? (
        <Loading what={source.title} />
      ) : (
        <ChooseSource error={error} onSource={setSource} onClose={onClose} />
      )}
    </Dialog>
  );
}

const title = "Import animals";

function Progress(props: { current: CurrentImport; failure: unknown; onRetry: () => void }) {
  const { run, source, columns } = props.current;
  const [isConfirming, setConfirming] = useState(false);
  const { isRunning, done, total } = run;
  const leave = isRunning ? () => setConfirming(true) : dismiss;
  const stop = () => {
    run.stop();
    setConfirming(false);
  };
  return (
    <Dialog title={title} aside={source.title} kind="middle large" onClose={leave}>
      <progress aria-label={title} value={done} max={total} />
      <p role="status">{isRunning ? `${formatCount(done)} of ${formatCount(total)}` : describeResult(run)}</p>
      <Failure error={props.failure} onRetry={props.onRetry} />
      {!isRunning && <RejectList rejects={run.rejects()} columns={columns} fileName={source.rejectsName} />}
      <footer>
        <Button className={isRunning ? undefined : "primary"} onClick={leave}>
          {isRunning ? "Stop" : "Close"}
        </Button>
      </footer>
      {isRunning && isConfirming && (
        <Confirmation
          title="Stop the import?"
          question={`${formatCount(done)} of ${pluralize(total, "line")} are done. Their animals stay; the others will not be added.`}
          actionTitle="Stop"
          cancelText="Continue"
          confirmedAction={{ run: stop }}
          onClose={() => setConfirming(false)}
        />
      )}
    </Dialog>
  );
}

function dismiss(): void {
  currentImport.set(undefined);
}

function describeResult({ added, total }: ImportRun): string {
  return `Added ${formatCount(added)} of ${pluralize(total, "animal")}.`;
}

function useParsedSource(source: ImportSource | undefined) {
  const store = useStore();
  type ParsedSource = { source: ImportSource; rows: readonly Row[]; categories: readonly Category[] };
  const [result, setResult] = useState<{ source: ImportSource; read?: ParsedSource; error?: unknown }>();
  useEffect(() => {
    if (!source) return;
    let isCurrent = true;
    Promise.all([readRows(source), readAllCategories(store)])
      .then(([rows, categories]) => ({ source, read: { source, rows, categories } }))
      .catch((error) => ({ source, error }))
      .then((settled) => isCurrent && setResult(settled));
    return () => {
      isCurrent = false;
    };
  }, [source, store]);
  return result?.source === source ? { ...result } : {};
}

function ChooseSource(props: { error: unknown; onSource: (source: ImportSource) => void; onClose: () => void }) {
  const { error, onSource, onClose } = props;
  const input = useRef<HTMLInputElement>(null);
  const isFileDragged = useImportSource(() => document.querySelectorAll("dialog[open]").length === 1, onSource);
  return (
    <>
      <Failure error={error} />
      <div className="dropzone" data-over={isFileDragged || undefined}>
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
            if (file) onSource(createFileSource(file));
            // Lets the user correct the file and then choose the same file again.
            target.value = "";
          }}
        />
      </div>
      <p className="hint">
        One column contains the names, another the categories by number or by name; a third may contain the status. You
        see a preview before anything is added.
      </p>
      <footer>
        <Button onClick={onClose}>Cancel</Button>
      </footer>
    </>
  );
}

/** Returns functions to start and resume the import. Unmounting the component stops the import after the batch in flight. */
function useImportRun() {
  const { store, notify, queries, isMounted } = useTools();
  const { storeSession } = useSession();
  const current = useShared(currentImport);
  const update = useUpdateUntilSignOut(currentImport);
  const [failure, setFailure] = useState<unknown>();
  useUnloadWarning(current?.run.isRunning ?? false);
  useEffect(() => () => currentImport.value?.run.stop(), []);
  const resume = async (resumed: CurrentImport) => {
    const { run } = resumed;
    setFailure(undefined);
    // Sets a copy, because React renders again only for a new object.
    await run.run(() => update(() => ({ ...resumed }))).catch(setFailure);
    if (run.rejects().length === 0) {
      notify({ text: `Added ${pluralize(run.added, "animal")}.` });
      dismiss();
    } else if (!isMounted() || storeSession?.hasEnded()) {
      const show = () => navigate({ path: "/animals", parameters: {} });
      notify({ text: `The import has ended. ${describeResult(run)}`, action: { title: "Show", run: show } });
    }
    await Promise.all([invalidateAnimals(queries), queries.invalidateQueries({ queryKey: queryKeys.categories })]);
  };
  const start = (plan: Plan, source: ImportSource, columns: readonly string[]) =>
    resume({ run: new ImportRun(store, plan), source, columns });
  return { current, failure, start, resume };
}
