import { Icon } from "../parts/icons.tsx";
import { withCommandKey } from "../parts/shortcut.ts";
import { Toast } from "../parts/toast.tsx";
import { Account } from "./account.tsx";
import { usePalette } from "./palette.tsx";

/** Always at the top: what finds and does everything, what has just happened, and whose key it is. */
export function TopBar() {
  const open = usePalette();
  return (
    <header className="topbar">
      <button type="button" className="search" aria-keyshortcuts="Control+K Meta+K" onClick={open}>
        <Icon name="search" size={16} />
        <span>Search or do anything</span>
        <kbd>{withCommandKey("K")}</kbd>
      </button>
      <Toast />
      <Account />
    </header>
  );
}
