/** Refuses files that are dropped where nothing takes them: the browser would leave the page and show the file. */
export function refuseDroppedFiles(): void {
  const refuse = (event: DragEvent) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
    event.dataTransfer.dropEffect = "none";
    event.preventDefault();
  };
  addEventListener("dragover", refuse);
  addEventListener("drop", refuse);
}
