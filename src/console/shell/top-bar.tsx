import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icons.tsx";
import { withCommandKey } from "../parts/shortcut.ts";
import { Toast } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";
import { Account } from "./account.tsx";
import { openPalette } from "./palette.tsx";

export function TopBar() {
  return (
    <header className="topbar">
      <Button className="search" aria-keyshortcuts="Control+K Meta+K" onClick={openPalette}>
        <Icon name="search" size={16} />
        <span>Search or do anything</span>
        <kbd>{withCommandKey("K")}</kbd>
      </Button>
      <Toast store={useStore()} />
      <Account />
    </header>
  );
}
