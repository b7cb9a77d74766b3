import { useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useId, useState } from "react";
import type { Category } from "../../client/index.ts";
import { useAction } from "../api/action.ts";
import { names, useAdvice } from "../api/queries.ts";
import { stepOf, useActiveOption } from "../parts/active-option.ts";
import { Field } from "../parts/field.tsx";
import { Icon } from "../parts/icons.tsx";
import { isComposing } from "../parts/shortcut.ts";
import { useMay } from "../session/permission.tsx";
import { useStore } from "../session/session.tsx";
import { categoryIn, matchingCategories, sameName } from "./category-text.ts";
import { makeCategory } from "./make-category.ts";
import { useKnownCategories, useNameOf } from "./use-known-categories.ts";

/**
 * A category, by its name: to type, to choose, or to make. Its value is the number that the text stands for, in digits, or
 * the text itself where it stands for none.
 */
export function CategoryField({
  label,
  value,
  complaint,
  hint,
  isLabelUnseen,
  placeholder,
  readOnly = false,
  mayMake = true,
  onChange,
  onChoose,
}: {
  label: string;
  value: string;
  complaint?: string | undefined;
  hint?: string;
  isLabelUnseen?: boolean;
  placeholder?: string;
  readOnly?: boolean;
  /** Whether a category that is not there yet can be made here. */
  mayMake?: boolean;
  onChange: (value: string) => void;
  /** Told when one was chosen, and not only typed, and whether by Ctrl+Enter, which finishes a form. */
  onChoose?: (value: string, finishes: boolean) => void;
}) {
  const mayWrite = useMay("write");
  /** What is typed; undefined while nobody types. */
  const [typed, setTyped] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const name = useNameOf(value);
  const { categories: all, isSearching } = useKnownCategories(typed ?? "");
  const text = typed ?? name ?? value;
  const wanted = text.trim();
  const choose = (chosen: string, finishes: boolean) => {
    if (make.isError) make.reset();
    onChange(chosen);
    onChoose?.(chosen, finishes);
    setTyped(undefined);
    setOpen(false);
    pick(undefined);
  };
  const make = useNewCategory(({ id: made }, { finishes }) => choose(String(made), finishes));
  const offersNew =
    mayMake &&
    mayWrite &&
    wanted !== "" &&
    !isSearching &&
    !/^[+-]?\d+$/.test(wanted) &&
    !all.some((each) => sameName(each.name, wanted));
  const options: readonly Option[] = [
    ...matchingCategories(all, typed ?? "").map((category) => ({
      id: String(category.id),
      title: category.name,
      aside: String(category.id),
      take: (finishes: boolean) => choose(String(category.id), finishes),
    })),
    ...(offersNew
      ? [
          {
            id: "new",
            title: `Create the category ${wanted}`,
            aside: "",
            take: (finishes: boolean) => make.run({ name: wanted, finishes }),
          },
        ]
      : []),
  ];
  const first = typed === undefined || wanted === "" ? undefined : options[0];
  const { active, pick, move } = useActiveOption({ options, first, isSearching });
  const shown = isOpen && !readOnly && options.length > 0;
  const type = (changed: string) => {
    if (make.isError) make.reset();
    setTyped(changed);
    setOpen(true);
    pick(undefined);
    const found = categoryIn(changed, all);
    onChange(found === undefined ? changed : String(found));
  };
  const press = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const step = stepOf(event.key);
    if (step !== undefined && options.length > 0) {
      event.preventDefault();
      if (shown) move(step);
      else setOpen(true);
    } else if (event.key === "Escape" && shown) {
      // The first Escape closes the list, and only the next one what is around it.
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    } else if (event.key === "Enter" && shown && active) {
      // One that is there already by what was typed need not be taken.
      if (categoryIn(text, all) !== undefined && active.id === value) return;
      event.preventDefault();
      active.take(event.ctrlKey || event.metaKey);
    }
  };
  return (
    <Field
      label={label}
      isLabelUnseen={isLabelUnseen}
      complaint={make.complaint ?? complaint}
      hint={typed === undefined && name !== undefined ? `Number ${value}` : (hint ?? "")}
    >
      {(attributes) => (
        <div className="combobox">
          <input
            {...attributes}
            role="combobox"
            aria-expanded={shown}
            aria-controls={`${id}-list`}
            aria-activedescendant={shown && active ? `${id}-${active.id}` : undefined}
            aria-autocomplete="list"
            autoComplete="off"
            dir="auto"
            placeholder={placeholder}
            value={text}
            readOnly={readOnly || make.isPending}
            onChange={(event) => type(event.target.value)}
            onClick={() => setOpen(true)}
            onKeyDown={press}
            onBlur={() => {
              setOpen(false);
              setTyped(undefined);
              pick(undefined);
            }}
          />
          <Icon name="chevron" size={16} />
          <div className="options" role="listbox" id={`${id}-list`} aria-label="Categories" hidden={!shown}>
            {shown &&
              options.map((option) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are pressed in the field.
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
                <div
                  key={option.id}
                  id={`${id}-${option.id}`}
                  role="option"
                  aria-selected={option.id === active?.id}
                  onPointerDown={(event) => event.preventDefault()}
                  onPointerMove={() => pick(option)}
                  onClick={() => option.take(false)}
                >
                  {option.id === "new" && <Icon name="plus" size={16} />}
                  <bdi>{option.title}</bdi>
                  <small>{option.aside}</small>
                </div>
              ))}
          </div>
        </div>
      )}
    </Field>
  );
}

interface Option {
  readonly id: string;
  readonly title: string;
  readonly aside: string;
  take(finishes: boolean): void;
}

/** Creates a category that a user asks for by name. */
function useNewCategory(onMade: (category: Category, wanted: Wanted) => void) {
  const store = useStore();
  const queries = useQueryClient();
  const make = useAction({
    mutationFn: ({ name }: Wanted) => makeCategory(store, name.trim()),
    async onSuccess({ category }, wanted) {
      await queries.invalidateQueries({ queryKey: names.categories });
      onMade(category, wanted);
    },
  });
  const advice = useAdvice(make.error);
  return { ...make, complaint: make.error ? advice : undefined };
}

interface Wanted {
  readonly name: string;
  /** True if the form is finished once the category exists. */
  readonly finishes: boolean;
}
