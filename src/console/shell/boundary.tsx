import { Component, type ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icons.tsx";
import { NotLoaded } from "../parts/lazily.ts";

/** Where a view cannot be loaded or drawn, the rest of the page stays, and says what to do. */
export class Boundary extends Component<{ readonly children: ReactNode }, { readonly failure: unknown }> {
  override state = { failure: undefined };

  static getDerivedStateFromError(failure: unknown): { failure: unknown } {
    return { failure };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (!failure) return this.props.children;
    const isNotLoaded = (failure as unknown) instanceof NotLoaded;
    return (
      <div className="notice failure" role="alert">
        <Icon name="warning" />
        <p>
          {isNotLoaded
            ? "This part of the page could not be loaded. Check that you are connected, and try again."
            : "This part of the page could not be shown. The store may have a new version: reload the page."}
        </p>
        <Button onClick={reload}>{isNotLoaded ? "Try again" : "Reload"}</Button>
      </div>
    );
  }
}

/** Reloads only what can be reached: without a connection, the browser would show its own error instead of the page. */
function reload(): void {
  fetch(location.href).then(
    () => location.reload(),
    () => {},
  );
}
