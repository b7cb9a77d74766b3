import { type ComponentProps, type ReactNode, useId } from "react";
import { Icon, type IconName } from "./icons.tsx";

/** A button that does not send a form. An icon without a text beside it is larger. */
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
  readonly disabled?: boolean;
  onChange(value: string): void;
}

export function SelectField({ value, options, disabled, onChange, ...field }: SelectFieldProps) {
  return (
    <Field {...field}>
      {(attributes) => (
        <Select {...attributes} value={value} disabled={disabled} onChange={({ target }) => onChange(target.value)}>
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

export function TextField({ label, complaint, hint, isLabelUnseen, onChange, ...input }: TextFieldProps) {
  return (
    <Field label={label} complaint={complaint} hint={hint} isLabelUnseen={isLabelUnseen}>
      {(attributes) => (
        <input
          dir="auto"
          autoComplete="off"
          {...input}
          {...attributes}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

export function Field({ label, complaint, hint, isLabelUnseen, children }: FieldProps) {
  const id = useId();
  const describedBy = [complaint && `${id}-complaint`, hint && `${id}-hint`].filter(Boolean).join(" ") || undefined;
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelUnseen ? "unseen" : undefined}>
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

interface FieldProps {
  readonly label: string;
  readonly complaint?: string | undefined;
  readonly hint?: string | undefined;
  /** True if its place explains it. */
  readonly isLabelUnseen?: boolean | undefined;
  children(attributes: FieldAttributes): ReactNode;
}

interface FieldAttributes {
  readonly id: string;
  readonly "aria-invalid": boolean;
  readonly "aria-describedby": string | undefined;
}
