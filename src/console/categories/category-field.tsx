import { type KeyboardEvent, useId, useState } from "react";
import { useAction } from "../api/action.ts";
import { queryKeys, useHasScope, useIsStoreUnreachable, useTools } from "../api/queries.ts";
import { toArrowKeyStep, useActiveOption } from "../parts/active-option.ts";
import { Field } from "../parts/controls.tsx";
import { describeError } from "../parts/errors.ts";
import { Icon } from "../parts/icons.tsx";
import { isComposing } from "../parts/shortcut.ts";
import { useCategoryName, useCategorySearch } from "./category-name.tsx";
import { filterCategories, isSameName, parseCategory } from "./category-text.ts";
import { createCategory } from "./create-category.ts";

interface CategoryFieldProps {
  readonly label: string;
  /** The id of a category in digits, or the typed text if no category matches. */
  readonly value: string;
  readonly complaint?: string | undefined;
  readonly hint?: string | undefined;
  readonly isLabelHidden?: boolean;
  readonly placeholder?: string;
  readonly readOnly?: boolean;
  readonly canCreate?: boolean;
  onChange(value: string): void;
  /** Called when the user chooses a category from the list. `shouldSubmit` is true after Ctrl+Enter. */
  readonly onChoose?: ((value: string, shouldSubmit: boolean) => void) | undefined;
}

export function CategoryField(props: CategoryFieldProps) {
  const { label, isLabelHidden, placeholder, readOnly } = props;
  const id = useId();
  const { name, text, isTyping, options, active, create, isOpen, setOpen, pick, type, handleKey, close } =
    useOptions(props);
  return (
    <Field
      label={label}
      isLabelHidden={isLabelHidden}
      complaint={create.complaint ?? props.complaint}
      hint={!isTyping && name !== undefined ? `Number ${props.value}` : props.hint}
    >
      {(attributes) => (
        <div className="combobox">
          <input
            {...attributes}
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={`${id}-list`}
            aria-activedescendant={isOpen && active ? `${id}-${active.id}` : undefined}
            aria-autocomplete="list"
            autoComplete="off"
            dir="auto"
            placeholder={placeholder}
            value={text}
            readOnly={readOnly || create.isPending}
            onChange={(event) => type(event.target.value)}
            onClick={() => setOpen(true)}
            onKeyDown={handleKey}
            onBlur={close}
          />
          <Icon name="chevron" size={16} />
          <div className="options" role="listbox" id={`${id}-list`} aria-label="Categories" hidden={!isOpen}>
            {isOpen &&
              options.map((option) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys.
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input.
                <div
                  key={option.id}
                  id={`${id}-${option.id}`}
                  role="option"
                  aria-selected={option.id === active?.id}
                  onPointerDown={(event) => event.preventDefault()}
                  onPointerMove={() => pick(option)}
                  onClick={() => option.apply(false)}
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
  apply(shouldSubmit: boolean): void;
}

function useOptions({ value, readOnly, canCreate = true, onChange, onChoose }: CategoryFieldProps) {
  const canWrite = useHasScope("write");
  /** The text that the user is typing; undefined if the user is not typing. */
  const [typed, setTyped] = useState<string>();
  const [isOpenRequested, setOpen] = useState(false);
  const name = useCategoryName(value);
  const { categories: all, isSearching } = useCategorySearch(typed ?? "");
  const text = typed ?? name ?? value;
  const trimmed = text.trim();
  const close = () => {
    setOpen(false);
    setTyped(undefined);
    pick(undefined);
  };
  const choose = (chosen: string, shouldSubmit: boolean) => {
    if (create.isError) create.reset();
    onChange(chosen);
    onChoose?.(chosen, shouldSubmit);
    close();
  };
  const create = useNewCategory(choose);
  const options: Option[] = filterCategories(all, typed ?? "").map(({ id, name: title }) => ({
    id: String(id),
    title,
    aside: String(id),
    apply: (shouldSubmit) => choose(String(id), shouldSubmit),
  }));
  const isNew = trimmed !== "" && !/^[+-]?\d+$/.test(trimmed) && !all.some((each) => isSameName(each.name, trimmed));
  if (canCreate && canWrite && !isSearching && isNew) {
    const apply = (shouldSubmit: boolean) => create.run({ name: trimmed, shouldSubmit });
    options.push({ id: "new", title: `Create the category ${trimmed}`, aside: "", apply });
  }
  const first = typed === undefined || trimmed === "" ? undefined : options[0];
  const { active, pick, move } = useActiveOption(options, first, isSearching);
  const isOpen = isOpenRequested && !readOnly && options.length > 0;
  const type = (changed: string) => {
    if (create.isError) create.reset();
    setTyped(changed);
    setOpen(true);
    pick(undefined);
    onChange(String(parseCategory(changed, all) ?? changed));
  };
  const applyActive = (shouldSubmit: boolean) => {
    if (!active || (parseCategory(text, all) !== undefined && active.id === value)) return false;
    active.apply(shouldSubmit);
    return true;
  };
  const isHandled = (event: KeyboardEvent): boolean => {
    const { key, ctrlKey, metaKey } = event;
    const step = toArrowKeyStep(key);
    if (step !== undefined && options.length > 0) {
      if (isOpen) move(step);
      else setOpen(true);
      return true;
    }
    if (!isOpen) return false;
    if (key === "Enter") return applyActive(ctrlKey || metaKey);
    if (key !== "Escape") return false;
    // The first Escape closes the list; only the next one closes the dialog.
    event.stopPropagation();
    setOpen(false);
    return true;
  };
  const handleKey = (event: KeyboardEvent) => {
    if (!isComposing(event) && isHandled(event)) event.preventDefault();
  };
  const isTyping = typed !== undefined;
  return { name, text, isTyping, options, active, create, isOpen, setOpen, pick, type, handleKey, close };
}

function useNewCategory(onCreated: (id: string, shouldSubmit: boolean) => void) {
  const { store, queries } = useTools();
  const create = useAction({
    mutationFn: ({ name }: { name: string; shouldSubmit: boolean }) => createCategory(store, name),
    async onSuccess({ category }, { shouldSubmit }) {
      await queries.invalidateQueries({ queryKey: queryKeys.categories });
      onCreated(String(category.id), shouldSubmit);
    },
  });
  const isStoreUnreachable = useIsStoreUnreachable();
  return { ...create, complaint: create.error ? describeError(create.error, isStoreUnreachable) : undefined };
}
