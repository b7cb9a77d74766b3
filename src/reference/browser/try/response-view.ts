import { createElement } from "../element.ts";
import { createCopyButton } from "../figures.ts";
import { highlight } from "../highlight.ts";
import { formatJson } from "./format-json.ts";

export function createResponseView() {
  const status = createElement("p", { role: "status" });
  const details = createElement("div");
  const root = createElement("section", { class: "response", "aria-label": "Response" }, status, details);
  const setStatus = (outcome: string, ...content: readonly (Node | string)[]) => {
    status.className = `outcome ${outcome}`;
    status.replaceChildren(...content);
  };
  setStatus("", "The response is shown here.");

  /** Shows the body while it arrives, until the signal is aborted. */
  const show = async (response: Response, elapsedMs: number, signal: AbortSignal) => {
    const text = createElement("strong", {}, `${response.status} ${response.statusText}`);
    setStatus(response.ok ? "succeeded" : "failed", text, ` after ${Math.round(elapsedMs)} ms`);
    const isJson = response.headers.get("Content-Type")?.includes("json") ?? false;
    const code = createElement("code", { "data-language": isJson ? "json" : "text" });
    const note = createElement("p", { class: "hint" });
    const pre = createElement("pre", { tabindex: "0", "aria-label": "Body of the response" }, code);
    const copy = createCopyButton(() => code.textContent ?? "");
    const figure = createElement("figure", { class: "code" }, createElement("figcaption", {}, "Body"), pre, copy);
    details.replaceChildren(createHeaderList(response), figure, note);
    const isComplete = await readInto(code, response, signal);
    if (code.textContent === "") figure.remove();
    else if (isComplete) {
      if (isJson) code.textContent = formatJson(code.textContent) ?? code.textContent;
      highlight(code);
    }
    note.textContent = describeBody(code.textContent, isComplete, signal);
  };

  return {
    root,
    show,
    showFailure: (reason: string) => setStatus("failed", reason),
    showSending() {
      details.replaceChildren();
      setStatus("", "Sending");
    },
  };
}

function describeBody(text: string, isComplete: boolean, signal: AbortSignal): string {
  if (text === "") return "The response has no body.";
  if (isComplete) return "";
  return signal.aborted ? "You have stopped reading here." : "The body is longer; only its beginning was read.";
}

function createHeaderList({ headers }: Response): HTMLElement {
  const entries = [...headers].flatMap(([name, value]) => [
    createElement("dt", {}, name),
    createElement("dd", {}, value),
  ]);
  const summary = createElement("summary", {}, `Headers (${entries.length / 2})`);
  return createElement("details", { open: "" }, summary, createElement("dl", { class: "headers" }, ...entries));
}

/** Returns true if the whole body was read. */
async function readInto(code: HTMLElement, response: Response, signal: AbortSignal): Promise<boolean> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let length = 0; length <= maxCharacters; ) {
      const piece = await reader?.read();
      if (!piece || piece.done) return true;
      length += piece.value.length;
      code.append(piece.value);
    }
    await reader?.cancel();
    return false;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** Browsers become slow with more text. */
const maxCharacters = 500_000;
