import { type ComponentProps, type ReactNode, useId } from "react";
import { Icon, type IconName } from "./icons.tsx";

export function Button({ icon, children, ...attributes }: ComponentProps<"button"> & { readonly icon?: IconName }) {
  return (
    <button type="button" {...attributes}>
      {icon && <Icon name={icon} size={children ? 16 : 18} />}
      {children}
    </button>
  );
}

export function Select(attributes: ComponentProps<"select">) {
  return (
    <div className="combobox">
      <select {...attributes} />
      <Icon name="chevron" size={16} />
    </div>
  );
}

export function Chip({ isChosen, ...attributes }: ComponentProps<typeof Button> & { readonly isChosen: boolean }) {
  return <Button className="chip" aria-pressed={isChosen} {...attributes} />;
}

interface SelectFieldProps extends Omit<FieldProps, "children"> {
  readonly value: string | number;
  readonly options: readonly (readonly [value: string | number, text: string])[];
  readonly readOnly?: boolean;
  onChange(value: string): void;
}

export function SelectField({ value, options, readOnly, onChange, ...field }: SelectFieldProps) {
  return (
    <Field {...field}>
      {(attributes) => (
        <Select {...attributes} value={value} disabled={readOnly} onChange={({ target }) => onChange(target.value)}>
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

interface TextFieldProps extends Omit<FieldProps, "children">, Omit<ComponentProps<"input">, "onChange" | "children"> {
  onChange(value: string): void;
}

export function TextField({ label, complaint, hint, isLabelHidden, onChange, ...input }: TextFieldProps) {
  const change: ComponentProps<"input">["onChange"] = ({ target }) => onChange(target.value);
  return (
    <Field label={label} complaint={complaint} hint={hint} isLabelHidden={isLabelHidden}>
      {(attributes) => <input dir="auto" autoComplete="off" {...input} {...attributes} onChange={change} />}
    </Field>
  );
}

interface FieldProps {
  readonly label: string;
  readonly complaint?: string | undefined;
  readonly hint?: string | undefined;
  readonly isLabelHidden?: boolean | undefined;
  children(attributes: Pick<ComponentProps<"input">, "aria-invalid" | "aria-describedby"> & { id: string }): ReactNode;
}

export function Field({ label, complaint, hint, isLabelHidden, children }: FieldProps) {
  const id = useId();
  const describedBy = [complaint && `${id}-complaint`, hint && `${id}-hint`].filter(Boolean).join(" ") || undefined;
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelHidden ? "unseen" : undefined}>
        {label}
      </label>
      {children({ id, "aria-invalid": complaint !== undefined, "aria-describedby": describedBy })}
      {hint && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <p className="complaint" id={`${id}-complaint`} aria-live="polite">
        {complaint}
      </p>
    </div>
  );
}
