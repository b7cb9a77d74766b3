import { Complaint } from "../../api/errors.ts";
import { grouped } from "../../parts/counted.ts";
import { type Row, rowsIn, textOf } from "./csv-file.ts";

/** A list of animals as somebody gives it: in a file, or as text that was pasted. */
export type GivenList = { readonly file: File } | { readonly pasted: string };

/** What people know it by. */
export function titleOf(list: GivenList): string {
  return "file" in list ? list.file.name : "Pasted list";
}

/** What messages call it. */
export function nounOf(list: GivenList): "file" | "list" {
  return "file" in list ? "file" : "list";
}

/** What the file is called that its rejected lines are saved to. */
export function rejectsNameOf(list: GivenList): string {
  return "file" in list ? list.file.name.replace(/(\.\w+)?$/, "-rejected.csv") : "pasted-list-rejected.csv";
}

/** Why it is of no use, where that shows without reading it. */
export function complaintAboutList(list: GivenList): string | undefined {
  if ("file" in list) {
    return list.file.type.startsWith("image/")
      ? "This is a picture. Use rows of a spreadsheet, or a CSV file."
      : undefined;
  }
  return /[,;\t]/.test(list.pasted) ? undefined : oneColumn("list");
}

/** Throws Complaint if it is of no use. */
export async function rowsOf(list: GivenList): Promise<readonly Row[]> {
  const complaint = complaintAboutList(list);
  if (complaint) throw new Complaint(complaint);
  const noun = nounOf(list);
  const size = "file" in list ? list.file.size : list.pasted.length;
  if (size > mostBytes) throw new Complaint(tooMuch(noun));
  const rows = rowsIn("file" in list ? textOf(await bytesOf(list.file)) : list.pasted);
  if (rows.length === 0) throw new Complaint(`This ${noun} is empty.`);
  if (rows.length > mostRows) throw new Complaint(tooMuch(noun));
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

/** As much as a page can hold and check without anybody having to wait. */
const mostRows = 100_000;
const mostBytes = 32 * 1_024 * 1_024;

function tooMuch(noun: string): string {
  return `This ${noun} is too large for this page, which accepts up to ${grouped(mostRows)} lines. Split it, or ask the operator of the store to use animal-store import.`;
}

function oneColumn(noun: string): string {
  return `Each line of this ${noun} needs a name and a category, such as Rex, Dogs.`;
}
