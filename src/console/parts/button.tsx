import type { ComponentProps } from "react";

/** A button that does not send a form. */
export function Button(attributes: ComponentProps<"button">) {
  return <button type="button" {...attributes} />;
}
