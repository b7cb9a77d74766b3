/** Saves a CSV file where the browser keeps what people download. */
export function download(name: string, parts: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Some browsers begin to read it only a while later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
