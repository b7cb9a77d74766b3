// biome-ignore-all lint/a11y/useSemanticElements: virtual rows are positioned absolutely, which rows of a table element cannot be.
// biome-ignore-all lint/a11y/useFocusableInteractive: the buttons in the rows have the focus.
import { type MouseEvent, memo } from "react";
import type { Pet } from "../../../../packages/client/src/index.ts";
import { CategoryName, FetchedCategoryName } from "../../categories/category-name.tsx";
import { changeParameters } from "../../parts/address.tsx";
import { Status } from "../../parts/status.tsx";
import type { RowMark } from "../marks.ts";

interface RowProps {
  readonly index: number;
  readonly offset: number;
  readonly pet: Pet | undefined;
  readonly category: string | undefined;
  /** True if the console has not loaded all categories. */
  readonly hasMoreCategories: boolean;
  readonly mark: RowMark | undefined;
  readonly isSelected: boolean;
  /** True for the only row that the Tab key reaches. */
  readonly isTabStop: boolean;
  readonly onSelect: ((index: number, isRange: boolean) => void) | undefined;
}

/** A table row. Memoized, because scrolling renders the table continually. */
export const Row = memo(function Row(props: RowProps) {
  const { index, offset, pet, category, hasMoreCategories, mark, isSelected, isTabStop, onSelect } = props;
  const handleClick = (event: MouseEvent, id: number) => {
    if (onSelect && (event.shiftKey || event.ctrlKey || event.metaKey)) onSelect(index, event.shiftKey);
    else changeParameters({ animal: String(id) });
  };
  const classes = ["row", mark && `marked ${mark}`, isSelected && "selected"].filter(Boolean).join(" ");
  return (
    <div role="row" className={classes} aria-rowindex={index + 2} style={{ transform: `translateY(${offset}px)` }}>
      {onSelect && (
        <span role="cell" className="check">
          {pet && (
            <label>
              <input
                type="checkbox"
                tabIndex={-1}
                checked={isSelected}
                aria-label={`Select ${pet.name}`}
                readOnly
                onClick={(event) => onSelect(index, event.shiftKey)}
              />
            </label>
          )}
        </span>
      )}
      <span role="cell" className="number">
        {pet?.id}
      </span>
      <span role="cell" className="name">
        {pet ? (
          <button
            type="button"
            className="open"
            dir="auto"
            data-row={index}
            tabIndex={isTabStop ? 0 : -1}
            onClick={(event) => handleClick(event, pet.id)}
          >
            {pet.name}
          </button>
        ) : (
          <span className="blank bone" />
        )}
      </span>
      <span role="cell" className="category">
        {pet &&
          (category === undefined && hasMoreCategories ? (
            <FetchedCategoryName id={pet.categoryId} />
          ) : (
            <CategoryName id={pet.categoryId} name={category} />
          ))}
      </span>
      <span role="cell" className="status-cell">
        {pet && <Status status={pet.status} />}
        {mark && <small className="by">{markTexts[mark]}</small>}
      </span>
    </div>
  );
});

const markTexts: Readonly<Record<RowMark, string>> = { own: "just now", other: "by somebody else", gone: "deleted" };
