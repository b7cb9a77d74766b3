import { element } from "../element.ts";
import { copyButton } from "../figures.ts";
import { highlight } from "../highlight.ts";
import { layoutJson } from "./layout-json.ts";

/** The response: its status, headers and body, which is shown while it arrives. */
export class ResponseView {
  readonly root = element("section", { class: "answer", "aria-label": "Response" });
  readonly #status = element("p", { role: "status" });
  readonly #rest = element("div");

  constructor() {
    this.root.append(this.#status, this.#rest);
    this.#setStatus("", "The response is shown here.");
  }

  wait(): void {
    this.#rest.replaceChildren();
    this.#setStatus("", "Sending");
  }

  fail(reason: string): void {
    this.#setStatus("failed", reason);
  }

  /** Shows the response until its end, or until the signal is aborted. */
  async show(response: Response, elapsedMs: number, signal: AbortSignal): Promise<void> {
    const status = element("strong", {}, `${response.status} ${response.statusText}`);
    this.#setStatus(response.ok ? "succeeded" : "failed", status, ` after ${Math.round(elapsedMs)} ms`);
    const isJson = response.headers.get("Content-Type")?.includes("json") ?? false;
    const code = element("code", { "data-language": isJson ? "json" : "text" });
    const note = element("p", { class: "hint" });
    const title = element("figcaption", {}, "Body");
    const pre = element("pre", { tabindex: "0", "aria-label": "Body of the response" }, code);
    const copy = copyButton(() => code.textContent ?? "");
    const figure = element("figure", { class: "code" }, title, pre, copy);
    this.#rest.replaceChildren(headersOf(response), figure, note);
    const isComplete = await readInto(code, response, signal);
    if (code.textContent === "") {
      figure.remove();
      note.textContent = "The response has no body.";
    } else if (isComplete) {
      if (isJson) code.textContent = layoutJson(code.textContent ?? "") ?? code.textContent;
      highlight(code);
    } else {
      note.textContent = signal.aborted
        ? "You have stopped reading here."
        : "The body goes on; only its beginning was read.";
    }
  }

  #setStatus(outcome: string, ...content: readonly (Node | string)[]): void {
    this.#status.className = `outcome ${outcome}`;
    this.#status.replaceChildren(...content);
  }
}

function headersOf({ headers }: Response): HTMLElement {
  const entries = [...headers].flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
  const summary = element("summary", {}, `Headers (${entries.length / 2})`);
  return element("details", { open: "" }, summary, element("dl", { class: "headers" }, ...entries));
}

/** Returns whether the whole body was read. */
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
