import { useCallback, useEffect, useMemo, useState } from "react";
import type { AnimalStore } from "../../../packages/client/src/index.ts";
import { Button } from "./controls.tsx";
import { Icon } from "./icons.tsx";
import { sharedUntilSignOut, useShared, useUpdateUntilSignOut } from "./shared.ts";
import { isCommand, isTextInput } from "./shortcut.ts";
import { useWindowEvents } from "./window-events.ts";

export interface Notice {
  readonly text: string;
  readonly action?: { readonly title: string; run(): void } | undefined;
  /** How to undo it, which is offered for its time, whatever other news there is meanwhile. */
  readonly undo?: Undo | undefined;
}

export interface Undo {
  /** Gets the store of the current session, which may be a later one. */
  run(store: AnimalStore, tell: Notify): Promise<void>;
  readonly ms: number;
}

type Notify = (news: Notice) => void;

interface Told {
  readonly news?: Notice | undefined;
  readonly undoable?: (Notice & { readonly undo: Undo }) | undefined;
}

const told = sharedUntilSignOut<Told>({});

export function useNotify(): Notify {
  const update = useUpdateUntilSignOut(told);
  return useCallback(
    (news) => {
      const { undo } = news;
      update((before) => (undo ? { undoable: { ...news, undo } } : { ...before, news }));
    },
    [update],
  );
}

/** Returns a function that undoes the latest change, as long as that is offered. */
export function useLatestUndo(store: AnimalStore): (() => void) | undefined {
  const { undoable } = useShared(told);
  const notify = useNotify();
  return useMemo(() => {
    if (!undoable) return undefined;
    return () => {
      forget("undoable");
      undoable.undo.run(store, notify);
    };
  }, [undoable, store, notify]);
}

function forget(part: keyof Told): void {
  told.set({ ...told.value, [part]: undefined });
}

/** The news, in the bar at the top, where it covers nothing. It stays while it has the pointer or the focus. */
export function Toast({ store }: { store: AnimalStore }) {
  const { news, undoable } = useShared(told);
  const undo = useLatestUndo(store);
  const [isHeld, setHeld] = useState(false);
  useForgetting("news", isHeld ? undefined : news, news?.action ? noticingMs : readingMs);
  useForgetting("undoable", isHeld ? undefined : undoable, undoable?.undo.ms);
  useWindowEvents({
    keydown(event) {
      // In a field the browser undoes what was typed, and a dialog is about something else.
      if (!undo || !isCommand(event, "z") || isTextInput(event.target) || document.querySelector("dialog[open]"))
        return;
      event.preventDefault();
      undo();
    },
  });
  // Other news comes first: a button to undo beside it would seem to be about that news.
  const shown = news ?? undoable;
  const { action } = shown ?? {};
  const hold = () => setHeld(true);
  const release = () => setHeld(false);
  return (
    <div className="toast" role="status" onPointerEnter={hold} onPointerLeave={release} onFocus={hold} onBlur={release}>
      {shown && (
        <div className="news" key={shown.text}>
          <span>{shown.text}</span>
          {action && (
            <Button
              onClick={() => {
                forget("news");
                action.run();
              }}
            >
              {action.title}
            </Button>
          )}
          {!news && undo && <Button onClick={undo}>Undo</Button>}
          <Button className="bare" aria-label="Dismiss" onClick={() => forget(news ? "news" : "undoable")}>
            <Icon name="close" size={16} />
          </Button>
        </div>
      )}
    </div>
  );
}

function useForgetting(part: keyof Told, shown: Notice | undefined, afterMs: number | undefined): void {
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(() => forget(part), afterMs);
    return () => clearTimeout(timer);
  }, [part, shown, afterMs]);
}

const readingMs = 8_000;
const noticingMs = 20_000;
