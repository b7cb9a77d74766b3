import { type FormEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Category } from "../../../../packages/client/src/index.ts";
import { type NewPet, petFields } from "../../../domain/pet.ts";
import { Button, SelectField } from "../../parts/controls.tsx";
import { formatCount, pluralize } from "../../parts/format-count.ts";
import { Icon } from "../../parts/icons.tsx";
import { fieldNames, fieldTexts } from "../pet-fields.ts";
import type { Row } from "./csv-file.ts";
import type { ImportSource } from "./import-source.ts";
import {
  type ColumnMapping,
  groupIdsByName,
  guessMapping,
  hasHeader,
  type Plan,
  planImport,
  type Sheet,
  toSheet,
} from "./plan.ts";
import { RejectList } from "./reject-list.tsx";

interface ImportPreviewProps {
  readonly rows: readonly Row[];
  readonly categories: readonly Category[];
  readonly source: ImportSource;
  readonly onStart: (plan: Plan, columns: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Previews an import and lets the user choose columns. Focuses the control to use next: the Add button, or a column field. */
export function ImportPreview({ rows, categories, source, onStart, onClose }: ImportPreviewProps) {
  const [hasHeaderRow, setHeaderRow] = useState(() => hasHeader(rows));
  const [chosen, setChosen] = useState<ColumnMapping>();
  const [shouldCreateCategories, setShouldCreateCategories] = useState(true);
  const { sheet, mapping, isMapped, newCategories, plan } = useMemo(() => {
    const sheet = toSheet(rows, hasHeaderRow);
    const mapping = chosen ?? guessMapping(sheet, hasHeaderRow);
    const isMapped = fieldNames.every((field) => !isRequiredField(field) || mapping[field] !== undefined);
    const createPlan = (isCreating: boolean) => planImport(sheet, mapping, groupIdsByName(categories), isCreating);
    const fullPlan = isMapped ? createPlan(true) : undefined;
    const newCategories = fullPlan?.newCategories ?? [];
    const canCreate = shouldCreateCategories && newCategories.length <= maxNewCategories;
    return { sheet, mapping, isMapped, newCategories, plan: canCreate || !fullPlan ? fullPlan : createPlan(false) };
  }, [rows, categories, hasHeaderRow, chosen, shouldCreateCategories]);
  const changeHeaderRow = (isNamed: boolean) => {
    setHeaderRow(isNamed);
    setChosen(undefined);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (plan && plan.animals.length > 0) onStart(plan, sheet.columns);
  };
  const count = plan?.animals.length ?? 0;
  const canAddAll = count > 0 && plan?.rejects.length === 0;
  const form = useRef<HTMLFormElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first rendering moves the focus.
  useLayoutEffect(() => {
    const firstControl = canAddAll ? "button[type=submit]" : isMapped ? "select" : 'select[aria-invalid="true"]';
    // Makes the focus visible even after a click, because pressing Enter would add all animals.
    form.current?.querySelector<HTMLElement>(firstControl)?.focus({ focusVisible: true });
  }, []);
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <div className="mapping">
        {fieldNames.map((field) => (
          <ColumnField
            key={field}
            field={field}
            sheet={sheet}
            value={mapping[field]}
            onChange={(column) => setChosen({ ...mapping, [field]: column })}
          />
        ))}
      </div>
      <label className="choice">
        <input type="checkbox" checked={hasHeaderRow} onChange={({ target }) => changeHeaderRow(target.checked)} />
        The first line names the columns
      </label>
      <Preview sheet={sheet} mapping={mapping} plan={plan} />
      {newCategories.length > 0 && (
        <NewCategories titles={newCategories} isChosen={shouldCreateCategories} onChoose={setShouldCreateCategories} />
      )}
      {plan && <RejectList rejects={plan.rejects} columns={sheet.columns} fileName={source.rejectsName} />}
      <footer>
        <Button onClick={onClose}>Cancel</Button>
        <button
          type="submit"
          className="primary"
          disabled={count === 0}
          aria-describedby={newCategories.length > 0 ? newCategoriesId : undefined}
        >
          {count === 0 ? "Nothing to add" : `Add ${pluralize(count, "animal")}`}
        </button>
      </footer>
    </form>
  );
}

const newCategoriesId = "new-categories";
/** Maximum number of new categories in an import. A higher number suggests that the user chose the wrong column. */
const maxNewCategories = 100;

function isRequiredField(field: keyof NewPet): boolean {
  return fieldTexts[field].findComplaint("") !== undefined;
}

interface ColumnFieldProps {
  readonly field: keyof NewPet;
  readonly sheet: Sheet;
  readonly value: number | undefined;
  readonly onChange: (column: number | undefined) => void;
}

function ColumnField({ field, sheet: { columns, rows }, value, onChange }: ColumnFieldProps) {
  const isRequired = isRequiredField(field);
  const example = value === undefined ? undefined : rows[0]?.fields[value];
  return (
    <SelectField
      label={fieldTexts[field].label}
      hint={example ? `Such as ${example.slice(0, maxExampleLength)}` : absenceHints[field]}
      complaint={isRequired && value === undefined ? "Choose its column." : undefined}
      options={[["", isRequired ? "Choose" : "None"], ...columns.map((column, index) => [index, column] as const)]}
      value={value ?? ""}
      onChange={(column) => onChange(column === "" ? undefined : Number(column))}
    />
  );
}

const maxExampleLength = 40;
const absenceHints: Readonly<Partial<Record<keyof NewPet, string>>> = {
  status: `All are ${petFields.status.default}.`,
};

function Preview({ sheet: { rows }, mapping, plan }: { sheet: Sheet; mapping: ColumnMapping; plan: Plan | undefined }) {
  const shownRows = rows.slice(0, maxPreviewRows);
  // The rejects are in the order of the rows, so the first few rejects include every reject in the preview.
  const rejectedLines = new Set(plan?.rejects.slice(0, maxPreviewRows).map(({ row }) => row.line));
  return (
    <div className="preview">
      <table>
        <caption>
          {rows.length > maxPreviewRows
            ? `The first ${maxPreviewRows} of ${formatCount(rows.length)} lines`
            : "All lines"}
        </caption>
        <thead>
          <tr>
            <th scope="col">Line</th>
            {fieldNames.map((field) => (
              <th key={field} scope="col">
                {fieldTexts[field].label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shownRows.map(({ line, fields }) => (
            <tr key={line} className={rejectedLines.has(line) ? "rejected" : undefined}>
              <td>
                {line}
                {rejectedLines.has(line) && (
                  <>
                    <Icon name="warning" size={14} />
                    <span className="unseen"> rejected</span>
                  </>
                )}
              </td>
              {fieldNames.map((field) => (
                <td key={field} dir="auto">
                  {mapping[field] === undefined ? "" : fields[mapping[field]]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const maxPreviewRows = 5;

function NewCategories(props: { titles: readonly string[]; isChosen: boolean; onChoose: (isChosen: boolean) => void }) {
  const { titles, isChosen, onChoose } = props;
  const count = formatCount(titles.length);
  if (titles.length > maxNewCategories) {
    return (
      <p className="notice" id={newCategoriesId}>
        {count} categories in this list are unknown. Choose another column, or create the categories first.
      </p>
    );
  }
  return (
    <label className="choice notice" id={newCategoriesId}>
      <input type="checkbox" checked={isChosen} onChange={({ target }) => onChoose(target.checked)} />
      <span>
        {titles.length === 1 ? "Create a new category" : `Create ${count} new categories`}
        <small dir="auto">{titles.join(", ")}</small>
      </span>
    </label>
  );
}
