import { useId } from "react";
import { useCategoryNames } from "../api/queries.ts";
import { integerIn } from "../api/rules.ts";
import { Field } from "../parts/field.tsx";

/** The number of a category, with those that have a name to choose from. */
export function CategoryField({
  label,
  value,
  complaint,
  hint,
  readOnly,
  onChange,
}: {
  label: string;
  value: string;
  complaint?: string | undefined;
  hint?: string;
  readOnly?: boolean;
  onChange: (value: string) => void;
}) {
  const categories = useCategoryNames();
  const list = useId();
  const number = integerIn(value);
  const name = number === undefined ? undefined : categories.get(String(number));
  return (
    <Field label={label} complaint={complaint} hint={name ?? hint ?? ""}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            inputMode="numeric"
            autoComplete="off"
            list={list}
            value={value}
            readOnly={readOnly}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={list}>
            {[...categories].map(([id, title]) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
