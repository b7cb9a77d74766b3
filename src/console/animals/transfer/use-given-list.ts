import { useRef, useState } from "react";
import { isTextPlace } from "../../parts/shortcut.ts";
import { useWindowEvents } from "../../parts/window-events.ts";
import { fileList, type GivenList, pastedList } from "./given-list.ts";

/**
 * Takes lists that are dropped on the page or pasted outside of text fields, where they are wanted. Returns true while a file is held
 * over the page.
 */
export function useGivenList(isWanted: () => boolean, onList: (list: GivenList, how: "dropped" | "pasted") => void) {
  const [isOver, setOver] = useState(false);
  // A drag enters each element before it leaves the one around it.
  const depth = useRef(0);
  const isFile = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true && isWanted();
  const move = (by: number) => (event: DragEvent) => {
    if (!isFile(event)) return;
    depth.current += by;
    setOver(depth.current > 0);
  };
  useWindowEvents({
    dragenter: move(1),
    dragleave: move(-1),
    dragover(event) {
      if (!event.dataTransfer || !isFile(event)) return;
      event.dataTransfer.dropEffect = "copy";
      event.preventDefault();
    },
    drop(event) {
      if (!isFile(event)) return;
      event.preventDefault();
      depth.current = 0;
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file) onList(fileList(file), "dropped");
    },
    paste(event) {
      if (isTextPlace(event.target) || !isWanted()) return;
      const list = event.clipboardData && listIn(event.clipboardData);
      if (!list) return;
      event.preventDefault();
      onList(list, "pasted");
    },
  });
  return isOver;
}

/** Spreadsheets copy a picture of the cells along with their text; some systems copy the name of a file along with the file. */
function listIn(clipboard: DataTransfer): GivenList | undefined {
  const files = [...clipboard.files];
  const file = files.find(({ type }) => !type.startsWith("image/"));
  if (file) return fileList(file);
  const pasted = clipboard.getData("text/plain");
  if (pasted.trim() !== "") return pastedList(pasted);
  return files[0] && fileList(files[0]);
}
