import { Component, type ReactNode } from "react";
import { Icon } from "../parts/icons.tsx";

/** Where a view cannot be drawn, or its file not be loaded, the rest of the page stays, and says what to do. */
export class Boundary extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div className="notice failure" role="alert">
        <Icon name="warning" />
        <p>This part of the page could not be shown. The store may have a new version: reload the page.</p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    );
  }
}
