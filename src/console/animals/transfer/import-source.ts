import { useRef, useState } from "react";
import { Complaint } from "../../api/errors.ts";
import { formatCount } from "../../parts/format-count.ts";
import { isTextInput } from "../../parts/shortcut.ts";
import { useWindowEvents } from "../../parts/window-events.ts";
import { decodeText, parseRows, type Row } from "./csv-file.ts";

/** A list of animals in a file, or as pasted text. */
export interface ImportSource {
  readonly title: string;
  readonly noun: "file" | "list";
  readonly rejectsName: string;
  readonly size: number;
  /** The reason why the list is useless, if that shows without reading it. */
  readonly complaint: string | undefined;
  text(): Promise<string>;
}

export function fileSource(file: File): ImportSource {
  return {
    title: file.name,
    noun: "file",
    rejectsName: file.name.replace(/(\.\w+)?$/, "-rejected.csv"),
    size: file.size,
    complaint: file.type.startsWith("image/")
      ? "This is a picture. Use rows of a spreadsheet, or a CSV file."
      : undefined,
    text: async () => decodeText(await bytesOf(file)),
  };
}

function pastedSource(text: string): ImportSource {
  return {
    title: "Pasted list",
    noun: "list",
    rejectsName: "pasted-list-rejected.csv",
    size: text.length,
    complaint: /[,;\t]/.test(text) ? undefined : oneColumn("list"),
    text: async () => text,
  };
}

export async function readRows({ noun, size, complaint, text }: ImportSource): Promise<readonly Row[]> {
  if (complaint) throw new Complaint(complaint);
  if (size > maxBytes) throw new Complaint(tooMuch(noun));
  const rows = parseRows(await text());
  if (rows.length === 0) throw new Complaint(`This ${noun} is empty.`);
  if (rows.length > maxRows) throw new Complaint(tooMuch(noun));
  if (rows.every(({ fields, problem }) => fields.length < 2 && problem === undefined)) {
    throw new Complaint(oneColumn(noun));
  }
  return rows;
}

async function bytesOf(file: File): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch {
    throw new Complaint("This file cannot be read. Choose it again, and choose a file, not a folder.");
  }
}

/** Limits of what a page can hold and check without a noticeable delay. */
const maxRows = 100_000;
const maxBytes = 32 * 1_024 * 1_024;

function tooMuch(noun: string): string {
  return `This ${noun} is too large for this page, which accepts up to ${formatCount(maxRows)} lines. Split it, or ask the operator of the store to use animal-store import.`;
}

function oneColumn(noun: string): string {
  return `Each line of this ${noun} needs a name and a category, such as Rex, Dogs.`;
}

/**
 * Takes lists that are dropped on the page or pasted outside of text fields, where they are wanted. Returns true while a file is held
 * over the page.
 */
export function useImportSource(
  isWanted: () => boolean,
  onList: (list: ImportSource, how: "dropped" | "pasted") => void,
) {
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
      if (file) onList(fileSource(file), "dropped");
    },
    paste(event) {
      if (isTextInput(event.target) || !isWanted()) return;
      const list = event.clipboardData && listIn(event.clipboardData);
      if (!list) return;
      event.preventDefault();
      onList(list, "pasted");
    },
  });
  return isOver;
}

/** Spreadsheets copy a picture of the cells along with their text; some systems copy the name of a file along with the file. */
function listIn(clipboard: DataTransfer): ImportSource | undefined {
  const files = [...clipboard.files];
  const file = files.find(({ type }) => !type.startsWith("image/"));
  if (file) return fileSource(file);
  const pasted = clipboard.getData("text/plain");
  if (pasted.trim() !== "") return pastedSource(pasted);
  return files[0] && fileSource(files[0]);
}
