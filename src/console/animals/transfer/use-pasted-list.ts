import { useEffect } from "react";
import { isTextPlace } from "../../parts/shortcut.ts";
import type { GivenList } from "./given-list.ts";

/** Takes a list that is pasted outside of fields, where one is wanted: its text, or a file that was copied. */
export function usePastedList(isWanted: () => boolean, onList: (list: GivenList) => void): void {
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      if (isTextPlace(event.target) || !isWanted()) return;
      const list = event.clipboardData && listIn(event.clipboardData);
      if (!list) return;
      event.preventDefault();
      onList(list);
    };
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, [isWanted, onList]);
}

/** Spreadsheets copy a picture of the cells along with their text; some systems copy the name of a file along with the file. */
function listIn(clipboard: DataTransfer): GivenList | undefined {
  const files = [...clipboard.files];
  const file = files.find(({ type }) => !type.startsWith("image/"));
  if (file) return { file };
  const pasted = clipboard.getData("text/plain");
  if (pasted.trim() !== "") return { pasted };
  return files[0] && { file: files[0] };
}
