import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
} from "react";
import type { AnimalStore } from "../../client/index.ts";
import { useSession, useStore } from "../session/session.tsx";
import { Icon } from "./icons.tsx";
import { isCommand, isTextPlace } from "./shortcut.ts";

/** What has just been done, and what can be done about it. */
export interface News {
  readonly text: string;
  readonly action?: { readonly title: string; run(): void } | undefined;
  /** How to undo it. That is offered for its time, whatever else is told meanwhile. */
  readonly undo?: Undo | undefined;
}

export interface Undo {
  /** With the store of whoever is signed in by then. */
  run(store: AnimalStore, tell: Tell): Promise<void>;
  readonly ms: number;
}

type Tell = (news: News) => void;

/** What is told, and what was told last that can still be undone. */
interface Told {
  readonly news?: News | undefined;
  readonly undoable?: (News & { readonly undo: Undo }) | undefined;
}

const TellContext = createContext<Tell>(() => {});
const ToldContext = createContext<Told & { readonly forget: (part: keyof Told) => void }>({ forget() {} });

/** What is told outlives a key that was revoked, but nobody is told what somebody else has done who has signed out. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const { open } = useSession();
  const [told, setTold] = useState<Told>({});
  const tell = useCallback<Tell>(
    (news) => {
      if (open?.ended() === "signed out") return;
      const { undo } = news;
      setTold((before) => (undo ? { undoable: { ...news, undo } } : { ...before, news }));
    },
    [open],
  );
  useEffect(
    () => () => {
      if (open?.ended() === "signed out") setTold({});
    },
    [open],
  );
  const forget = useCallback((part: keyof Told) => setTold((before) => ({ ...before, [part]: undefined })), []);
  const shown = useMemo(() => ({ ...told, forget }), [told, forget]);
  return (
    <TellContext value={tell}>
      <ToldContext value={shown}>{children}</ToldContext>
    </TellContext>
  );
}

/** Tells people for a while what has just been done. */
export function useTell(): Tell {
  return useContext(TellContext);
}

/** Undoes what was done last, as long as that is offered. */
export function useLatestUndo(): (() => void) | undefined {
  const { undoable, forget } = useContext(ToldContext);
  const store = useStore();
  const tell = useTell();
  return useMemo(() => {
    if (!undoable) return undefined;
    return () => {
      forget("undoable");
      undoable.undo.run(store, tell);
    };
  }, [undoable, forget, store, tell]);
}

/** In the bar at the top, so that it covers nothing that people work with. It stays while somebody is at it. */
export function Toast() {
  const { news, undoable, forget } = useContext(ToldContext);
  const undo = useLatestUndo();
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (!news || isHeld) return;
    const timer = setTimeout(() => forget("news"), news.action ? noticingMs : readingMs);
    return () => clearTimeout(timer);
  }, [news, isHeld, forget]);
  useEffect(() => {
    if (!undoable || isHeld) return;
    const timer = setTimeout(() => forget("undoable"), undoable.undo.ms);
    return () => clearTimeout(timer);
  }, [undoable, isHeld, forget]);
  // Before the next key is pressed.
  useLayoutEffect(() => {
    if (!undo) return;
    const listen = (event: KeyboardEvent) => {
      if (!isCommand(event, "z")) return;
      // In a field the browser undoes what was typed, and a dialog is about something else.
      if (isTextPlace(event.target) || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      undo();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [undo]);
  // What can be undone is shown again once other news was read, since a button beside that would seem to be about it.
  const shown = news ?? undoable;
  const dismiss = () => forget(news ? "news" : "undoable");
  const { action } = shown ?? {};
  return (
    <div
      className="toast"
      role="status"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {shown && (
        <div className="news" key={shown.text}>
          <span>{shown.text}</span>
          {action && (
            <button
              type="button"
              onClick={() => {
                forget("news");
                action.run();
              }}
            >
              {action.title}
            </button>
          )}
          {!news && undo && (
            <button type="button" onClick={undo}>
              Undo
            </button>
          )}
          <button type="button" className="bare" aria-label="Dismiss" onClick={dismiss}>
            <Icon name="close" size={16} />
          </button>
        </div>
      )}
    </div>
  );
}

const readingMs = 8_000;
const noticingMs = 20_000;
