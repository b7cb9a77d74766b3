import { Fragment, type ReactNode, type Ref } from "react";
import type { NewPet, PetStatus } from "../../domain/pet.ts";
import { CategoryField } from "../categories/category-field.tsx";
import { SelectField, TextField } from "../parts/controls.tsx";
import type { InputOf } from "../parts/form.tsx";
import { type Draft, fieldNames, fieldTexts } from "./pet-fields.ts";

interface InputOptions {
  readonly nameRef?: Ref<HTMLInputElement> | undefined;
  readonly categoryHint?: string;
  readonly onChooseCategory?: (category: string, shouldSubmit: boolean) => void;
  /** The statuses to choose from. If `statusHint` is given, the status cannot be changed, and the hint says why. */
  readonly statuses: readonly PetStatus[];
  readonly statusHint?: string | undefined;
}

type InputProps = InputOf<string> & { readonly label: string };

const inputs: Readonly<Record<keyof NewPet, (props: InputProps, details: InputOptions) => ReactNode>> = {
  name: (props, { nameRef }) => <TextField {...props} ref={nameRef} />,
  categoryId: (props, { categoryHint, onChooseCategory }) => (
    <CategoryField {...props} hint={categoryHint} onChoose={onChooseCategory} />
  ),
  status: (props, { statuses, statusHint }) => (
    <SelectField
      {...props}
      hint={statusHint}
      options={statuses.map((status) => [status, status])}
      readOnly={props.readOnly || statusHint !== undefined}
    />
  ),
};

export function PetInputs({ field, ...details }: InputOptions & { field: (name: keyof Draft) => InputOf<string> }) {
  return fieldNames.map((name) => (
    <Fragment key={name}>{inputs[name]({ label: fieldTexts[name].label, ...field(name) }, details)}</Fragment>
  ));
}
