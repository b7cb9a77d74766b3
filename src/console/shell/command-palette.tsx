import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { toArrowKeyStep, useActiveOption } from "../parts/active-option.ts";
import { Button } from "../parts/controls.tsx";
import { describeError } from "../parts/errors.ts";
import { Icon } from "../parts/icons.tsx";
import { createSharedUntilSignOut, useShared } from "../parts/shared.ts";
import { isCommand, isComposing } from "../parts/shortcut.ts";
import { useWindowEvents } from "../parts/window-events.ts";
import { type Suggestion, type SuggestionGroup, useSuggestions } from "./suggestions.ts";

const isOpen = createSharedUntilSignOut(false);

export function openCommandPalette(): void {
  isOpen.set(true);
}

export function CommandPalette() {
  useWindowEvents({
    keydown(event) {
      if (!isCommand(event, "k")) return;
      event.preventDefault();
      isOpen.set(!isOpen.value);
    },
  });
  return useShared(isOpen) ? <CommandPaletteDialog onClose={() => isOpen.set(false)} /> : null;
}

function CommandPaletteDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const { groups, isSearching, hasMore, error } = useSuggestions(text);
  const all = groups.flatMap(({ suggestions }) => suggestions);
  const { active, isPicked, pick, move } = useActiveOption(all, all[0], isSearching);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  });
  const run = (suggestion: Suggestion) => {
    onClose();
    setTimeout(suggestion.run);
  };
  /** True if the user pressed Enter before the results arrived. When the results arrive, the first is run. */
  const [isEnterPending, setEnterPending] = useState(false);
  useEffect(() => {
    if (!isEnterPending || isSearching) return;
    setEnterPending(false);
    if (active) run(active);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const step = toArrowKeyStep(event.key);
    if (step !== undefined && all.length > 0) {
      event.preventDefault();
      move(step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      // While the search is pending, its results may replace a suggestion that the user did not pick.
      if (isSearching && !isPicked) setEnterPending(true);
      else if (active) run(active);
    }
  };
  const emptyText = isSearching ? "Searching" : `Nothing matches ${text.trim()}.`;
  const note = all.length === 0 ? emptyText : hasMore && "More animals match: keep typing.";
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Search and commands"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className="search-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search or do anything"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={active && `${id}-${active.id}`}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          placeholder="A name, a number, a category or a command"
          value={text}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setText(event.target.value);
            pick(undefined);
            setEnterPending(false);
          }}
        />
        <Button className="bare" onClick={onClose}>
          <span className="unseen">Close: </span>
          <kbd>Esc</kbd>
        </Button>
      </div>
      <SuggestionList id={id} groups={groups} active={active} onPoint={pick} onRun={run} />
      <p className={error ? "note failed" : "note"} role="status">
        {error ? `Animals could not be searched. ${describeError(error)}` : note}
      </p>
    </dialog>
  );
}

interface SuggestionListProps {
  readonly id: string;
  readonly groups: readonly SuggestionGroup[];
  readonly active: Suggestion | undefined;
  onPoint(suggestion: Suggestion): void;
  onRun(suggestion: Suggestion): void;
}

function SuggestionList({ id, groups, active, onPoint, onRun }: SuggestionListProps) {
  return (
    <div className="suggestions" role="listbox" id={`${id}-list`} aria-label="Suggestions">
      {groups.map(({ title, suggestions }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset does not group options.
        <div key={title} role="group" aria-label={title}>
          <div className="title" aria-hidden="true">
            {title}
          </div>
          {suggestions.map((suggestion) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keys.
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text field.
            <div
              key={suggestion.id}
              id={`${id}-${suggestion.id}`}
              role="option"
              aria-selected={suggestion.id === active?.id}
              onPointerMove={() => onPoint(suggestion)}
              onClick={() => onRun(suggestion)}
            >
              <Icon name={suggestion.icon} size={16} />
              <MarkedTitle {...suggestion} />
              {suggestion.aside && <small>{suggestion.aside}</small>}
              {suggestion.shortcut && <kbd>{suggestion.shortcut}</kbd>}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

function MarkedTitle({ title, match }: Pick<Suggestion, "title" | "match">) {
  if (!match) return <bdi>{title}</bdi>;
  return (
    <bdi>
      {title.slice(0, match.start)}
      <mark>{title.slice(match.start, match.end)}</mark>
      {title.slice(match.end)}
    </bdi>
  );
}
