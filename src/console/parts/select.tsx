import type { ComponentProps } from "react";
import { Icon } from "./icons.tsx";

export function Select(attributes: ComponentProps<"select">) {
  return (
    <div className="combobox">
      <select {...attributes} />
      <Icon name="chevron" size={16} />
    </div>
  );
}
