import { Component, type ReactNode } from "react";
import { Icon } from "../parts/icons.tsx";
import { forgetFailures, NotLoaded } from "../parts/lazily.ts";

/** Where a view cannot be drawn, or its file not be loaded, the rest of the page stays, and says what to do. */
export class Boundary extends Component<{ readonly children: ReactNode }, { readonly failure: unknown }> {
  override state = { failure: undefined };

  static getDerivedStateFromError(failure: unknown): { failure: unknown } {
    return { failure };
  }

  override componentWillUnmount(): void {
    // Who comes back to it wants it tried again.
    forgetFailures();
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
            ? "This part of the page could not be loaded. Check that you are connected, and try again; if that does not help, reload the page."
            : "This part of the page could not be shown. The store may have a new version: reload the page."}
        </p>
        {isNotLoaded && (
          <button
            type="button"
            onClick={() => {
              forgetFailures();
              this.setState({ failure: undefined });
            }}
          >
            Try again
          </button>
        )}
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    );
  }
}
