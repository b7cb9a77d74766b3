import { useEffect, useState } from "react";

/** Takes a file that is dropped anywhere on the page, where one is wanted; says whether one is being held over it. */
export function useDroppedFile(isWanted: () => boolean, onFile: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    // Every element on the way is entered before the one around it is left.
    let depth = 0;
    const hasFile = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true;
    const enter = (event: DragEvent) => {
      if (hasFile(event) && isWanted()) setOver(++depth > 0);
    };
    const leave = (event: DragEvent) => {
      if (hasFile(event) && isWanted()) setOver(--depth > 0);
    };
    const hold = (event: DragEvent) => {
      if (!event.dataTransfer || !hasFile(event) || !isWanted()) return;
      event.dataTransfer.dropEffect = "copy";
      event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (!hasFile(event) || !isWanted()) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file) onFile(file);
    };
    addEventListener("dragenter", enter);
    addEventListener("dragleave", leave);
    addEventListener("dragover", hold);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragenter", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("dragover", hold);
      removeEventListener("drop", drop);
    };
  }, [isWanted, onFile]);
  return isOver;
}
