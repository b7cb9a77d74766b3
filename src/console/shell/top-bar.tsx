import { useId } from "react";
import { useCurrentKey } from "../api/queries.ts";
import { appearanceOptions, useAppearance } from "../parts/appearance.ts";
import { Button } from "../parts/controls.tsx";
import { Icon } from "../parts/icons.tsx";
import { Time } from "../parts/listing.tsx";
import { formatShortcut } from "../parts/shortcut.ts";
import { Toast } from "../parts/toast.tsx";
import { rightsByScope } from "../session/permission.tsx";
import { useStore } from "../session/session.tsx";
import { openCommandPalette } from "./command-palette.tsx";
import { useSignOut } from "./sign-out.tsx";

export function TopBar() {
  return (
    <header className="topbar">
      <Button className="search" aria-keyshortcuts="Control+K Meta+K" onClick={openCommandPalette} icon="search">
        <span>Search or do anything</span>
        <kbd>{formatShortcut("K")}</kbd>
      </Button>
      <Toast store={useStore()} />
      <Account />
    </header>
  );
}

function Account() {
  const { data: key } = useCurrentKey();
  const signOut = useSignOut();
  const id = useId();
  return (
    <div className="account">
      <Button className="account-button" popoverTarget={id} icon="user">
        <span className="unseen">Your key: </span>
        {key && (
          <span className="own-key">
            <bdi>{key.name}</bdi> <span className="scope">{key.scope}</span>
          </span>
        )}
        <Icon name="chevron" size={14} />
      </Button>
      <div id={id} popover="auto" className="menu" role="dialog" aria-label="Your key and settings">
        {key && (
          <p className="hint">
            Signed in with <bdi>{key.name}</bdi>, which may {rightsByScope[key.scope]}
            {key.expiresAt !== null && (
              <>
                {" "}
                until <Time at={key.expiresAt} />
              </>
            )}
            .
          </p>
        )}
        <AppearanceChoice of="density" title="Rows" />
        <AppearanceChoice of="theme" title="Colours" />
        <Button className="item" onClick={signOut} icon="signOut">
          Sign out
        </Button>
      </div>
    </div>
  );
}

function AppearanceChoice({ of, title }: { of: keyof typeof appearanceOptions; title: string }) {
  const [value, choose] = useAppearance(of);
  return (
    <fieldset className="segments">
      <legend>{title}</legend>
      {appearanceOptions[of].map((option) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => choose(option)}>
          {option}
        </button>
      ))}
    </fieldset>
  );
}
