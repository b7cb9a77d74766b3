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
import { Icon } from "./icons.tsx";
import { isCommand, isTextPlace } from "./shortcut.ts";

/** What has just been done, and what can be done about it. */
export interface News {
  readonly text: string;
  readonly action?: { readonly title: string; run(): void } | undefined;
  /** How long it can be done; otherwise, for as long as it takes to notice. */
  readonly actionMs?: number | undefined;
}

const TellContext = createContext<(news: News) => void>(() => {});
const NewsContext = createContext<{ readonly news: News | undefined; readonly forget: () => void }>({
  news: undefined,
  forget() {},
});

export function ToastProvider({ children }: { children: ReactNode }) {
  const [news, setNews] = useState<News>();
  const forget = useCallback(() => setNews(undefined), []);
  const shown = useMemo(() => ({ news, forget }), [news, forget]);
  return (
    <TellContext value={setNews}>
      <NewsContext value={shown}>{children}</NewsContext>
    </TellContext>
  );
}

/** What can still be done about what was told last. */
export function useLatestAction(): News["action"] {
  const { news } = useContext(NewsContext);
  return news?.action;
}

/** Tells people for a while what has just been done. */
export function useTell(): (news: News) => void {
  return useContext(TellContext);
}

/** In the bar at the top, so that it covers nothing that people work with. It stays while somebody is at it. */
export function Toast() {
  const { news, forget } = useContext(NewsContext);
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (!news || isHeld) return;
    const timer = setTimeout(forget, news.action ? (news.actionMs ?? noticingMs) : readingMs);
    return () => clearTimeout(timer);
  }, [news, isHeld, forget]);
  // Before the next key is pressed.
  useLayoutEffect(() => {
    const undo = news?.action?.title === "Undo" ? news.action : undefined;
    if (!undo) return;
    const listen = (event: KeyboardEvent) => {
      if (!isCommand(event, "z")) return;
      // In a field the browser undoes what was typed, and a dialog is about something else.
      if (isTextPlace(event.target) || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      undo.run();
      forget();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [news, forget]);
  return (
    <div
      className="toast"
      role="status"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {news && (
        <div className="news" key={news.text}>
          <span>{news.text}</span>
          {news.action && (
            <button
              type="button"
              onClick={() => {
                news.action?.run();
                forget();
              }}
            >
              {news.action.title}
            </button>
          )}
          <button type="button" className="bare" aria-label="Dismiss" onClick={forget}>
            <Icon name="close" size={16} />
          </button>
        </div>
      )}
    </div>
  );
}

const readingMs = 8_000;
const noticingMs = 20_000;
