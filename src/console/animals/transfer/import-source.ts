import { useState } from "react";
import { Complaint } from "../../parts/errors.ts";
import { formatCount } from "../../parts/format-count.ts";
import { isTextInput } from "../../parts/shortcut.ts";
import { useWindowEvents } from "../../parts/window-events.ts";
import { decodeText, parseRows, type Row } from "./csv-file.ts";

export interface ImportSource {
  readonly title: string;
  readonly rejectsName: string;
  readonly size: number;
  /** The reason why a pasted list cannot be imported. */
  readonly complaint?: string | undefined;
  readText(): Promise<string>;
}

export function createFileSource(file: File): ImportSource {
  return {
    title: file.name,
    rejectsName: file.name.replace(/(\.\w+)?$/, "-rejected.csv"),
    size: file.size,
    readText: async () => decodeText(new Uint8Array(await file.arrayBuffer().catch(rejectUnreadableFile))),
  };
}

function rejectUnreadableFile(): never {
  throw new Complaint("This file cannot be read. Choose it again, and choose a file, not a folder.");
}

function createPastedSource(text: string): ImportSource {
  return {
    title: "Pasted list",
    rejectsName: "pasted-list-rejected.csv",
    size: text.length,
    complaint: /[,;\t]/.test(text) ? undefined : missingColumnText,
    readText: async () => text,
  };
}

export async function readRows({ size, complaint, readText }: ImportSource): Promise<readonly Row[]> {
  if (complaint) throw new Complaint(complaint);
  if (size > maxBytes) throw new Complaint(tooLargeText);
  const rows = parseRows(await readText());
  if (rows.length === 0) throw new Complaint("This list is empty.");
  if (rows.length > maxRows) throw new Complaint(tooLargeText);
  if (rows.every(({ fields, problem }) => fields.length < 2 && problem === undefined)) {
    throw new Complaint(missingColumnText);
  }
  return rows;
}

/** Limits that keep the preview free of noticeable delays. */
const maxRows = 100_000;
const maxBytes = 32 * 1_024 * 1_024;

const tooLargeText = `This list is too large for this page, which accepts up to ${formatCount(maxRows)} lines. Split it, or ask the operator of the store to use animal-store import.`;
const missingColumnText = "Each line of this list needs a name and a category, such as Rex, Dogs.";

/** Accepts dropped files and pasted lists while `isEnabled` returns true. Returns true while a file is dragged over the page. */
export function useImportSource(isEnabled: () => boolean, onSource: (source: ImportSource) => void): boolean {
  // Counts nested elements, because the pointer enters an inner element before it leaves the outer element.
  const [depth, setDepth] = useState(0);
  const isFile = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true && isEnabled();
  const changeDepth = (by: number) => (event: DragEvent) => {
    if (isFile(event)) setDepth((now) => now + by);
  };
  useWindowEvents({
    dragenter: changeDepth(1),
    dragleave: changeDepth(-1),
    dragover(event) {
      if (!event.dataTransfer || !isFile(event)) return;
      event.dataTransfer.dropEffect = "copy";
      event.preventDefault();
    },
    drop(event) {
      if (!isFile(event)) return;
      event.preventDefault();
      setDepth(0);
      const file = event.dataTransfer?.files[0];
      if (file) onSource(createFileSource(file));
    },
    paste(event) {
      if (isTextInput(event.target) || !isEnabled()) return;
      const source = event.clipboardData && readClipboard(event.clipboardData);
      if (!source) return;
      event.preventDefault();
      onSource(source);
    },
  });
  return depth > 0;
}

/** Returns the file or text on the clipboard. Ignores images, because spreadsheets also copy a picture of the cells. */
function readClipboard(clipboard: DataTransfer): ImportSource | undefined {
  const file = [...clipboard.files].find(({ type }) => !type.startsWith("image/"));
  if (file) return createFileSource(file);
  const text = clipboard.getData("text/plain");
  return text.trim() === "" ? undefined : createPastedSource(text);
}
