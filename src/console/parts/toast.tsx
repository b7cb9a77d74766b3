import { useCallback, useEffect, useState } from "react";
import type { AnimalStore } from "../../../packages/client/src/index.ts";
import { Button } from "./controls.tsx";
import { Icon } from "./icons.tsx";
import { createSharedUntilSignOut, useShared, useUpdateUntilSignOut } from "./shared.ts";
import { isCommand, isTextInput } from "./shortcut.ts";
import { useWindowEvents } from "./window-events.ts";

export interface Notice {
  readonly text: string;
  readonly action?: { readonly title: string; run(): void } | undefined;
  /** An undo that is offered for `undo.offeredMs`, even if other notices follow. */
  readonly undo?: Undo | undefined;
}

export interface Undo {
  /** Receives the store of the current session, because the user may have signed in again since the change. */
  run(store: AnimalStore, notify: Notify): Promise<void>;
  readonly offeredMs: number;
}

type Notify = (notice: Notice) => void;

interface Notices {
  readonly latest?: Notice | undefined;
  readonly undoable?: (Notice & { readonly undo: Undo }) | undefined;
}

const notices = createSharedUntilSignOut<Notices>({});

export function useNotify(): Notify {
  const update = useUpdateUntilSignOut(notices);
  return useCallback(
    (notice) => {
      const { undo } = notice;
      update((before) => (undo ? { undoable: { ...notice, undo } } : { ...before, latest: notice }));
    },
    [update],
  );
}

export function useLatestUndo(store: AnimalStore): (() => void) | undefined {
  const { undoable } = useShared(notices);
  const notify = useNotify();
  if (!undoable) return undefined;
  return () => {
    dismiss("undoable");
    undoable.undo.run(store, notify);
  };
}

function dismiss(which: keyof Notices): void {
  notices.set({ ...notices.value, [which]: undefined });
}

/** Shows the latest notice. A notice does not time out while the pointer is over the notice or the focus is inside. */
export function Toast({ store }: { store: AnimalStore }) {
  const { latest, undoable } = useShared(notices);
  const undo = useLatestUndo(store);
  const [isPaused, setPaused] = useState(false);
  useTimeout("latest", isPaused ? undefined : latest, latest?.action ? noticeWithActionMs : noticeMs);
  useTimeout("undoable", isPaused ? undefined : undoable, undoable?.undo.offeredMs);
  useWindowEvents({
    keydown(event) {
      // Ignores the shortcut in a text field, where the browser undoes typing, and in a dialog, which hides the notice.
      if (!undo || !isCommand(event, "z") || isTextInput(event.target) || document.querySelector("dialog[open]"))
        return;
      event.preventDefault();
      undo();
    },
  });
  // Hides the undo button while a later notice is shown, because the button would seem to undo that notice's action.
  const shownNotice = latest ?? undoable;
  const { action } = shownNotice ?? {};
  const pause = () => setPaused(true);
  const resume = () => setPaused(false);
  const runAction = () => {
    dismiss("latest");
    action?.run();
  };
  return (
    <div className="toast" role="status" onPointerEnter={pause} onPointerLeave={resume} onFocus={pause} onBlur={resume}>
      {shownNotice && (
        <div className="message" key={shownNotice.text}>
          <span>{shownNotice.text}</span>
          {action && <Button onClick={runAction}>{action.title}</Button>}
          {!latest && undo && <Button onClick={undo}>Undo</Button>}
          <Button className="bare" aria-label="Dismiss" onClick={() => dismiss(latest ? "latest" : "undoable")}>
            <Icon name="close" size={16} />
          </Button>
        </div>
      )}
    </div>
  );
}

function useTimeout(which: keyof Notices, shown: Notice | undefined, afterMs: number | undefined): void {
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(() => dismiss(which), afterMs);
    return () => clearTimeout(timer);
  }, [which, shown, afterMs]);
}

const noticeMs = 8_000;
/** Longer than `noticeMs`, because the user has to decide. */
const noticeWithActionMs = 20_000;
