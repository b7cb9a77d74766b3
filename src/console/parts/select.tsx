import type { ComponentProps } from "react";
import { Icon } from "./icons.tsx";

/** A choice of few, with the arrow that other fields have. */
export function Select(attributes: ComponentProps<"select">) {
  return (
    <div className="combobox">
      <select {...attributes} />
      <Icon name="chevron" size={16} />
    </div>
  );
}
