import { element } from "../element.ts";
import { copyButton } from "../figures.ts";
import { highlight } from "../highlight.ts";
import { layoutJson } from "./layout-json.ts";

/** What came back: the status, the headers, and the body, which is shown while it comes. */
export class AnswerView {
  readonly root = element("section", { class: "answer", "aria-label": "Response" });
  readonly #status = element("p", { class: "outcome", role: "status" });
  readonly #rest = element("div", {});

  constructor() {
    this.root.append(this.#status, this.#rest);
    this.clear();
  }

  clear(): void {
    this.#rest.replaceChildren();
    this.#status.replaceChildren("The response is shown here.");
    this.#status.className = "outcome";
  }

  wait(): void {
    this.#rest.replaceChildren();
    this.#status.replaceChildren("Sending");
    this.#status.className = "outcome";
  }

  fail(reason: string): void {
    this.#status.replaceChildren(reason);
    this.#status.className = "outcome failed";
  }

  /** Shows the response until it ends or the signal says so. */
  async show(response: Response, elapsedMs: number, signal: AbortSignal): Promise<void> {
    this.#status.className = `outcome ${response.ok ? "succeeded" : "failed"}`;
    this.#status.replaceChildren(
      element("strong", {}, `${response.status} ${response.statusText}`),
      ` after ${Math.round(elapsedMs)} ms`,
    );
    const isJson = response.headers.get("Content-Type")?.includes("json") ?? false;
    const code = element("code", { "data-language": isJson ? "json" : "text" });
    const note = element("p", { class: "hint" });
    const figure = element(
      "figure",
      { class: "code" },
      element("figcaption", {}, "Body"),
      element("pre", { tabindex: "0", "aria-label": "Body of the response" }, code),
      copyButton(() => code.textContent ?? ""),
    );
    this.#rest.replaceChildren(headersOf(response), figure, note);
    const isWhole = await readInto(code, response, signal);
    if (code.textContent === "") {
      figure.remove();
      note.textContent = "The response has no body.";
    } else if (isWhole) {
      if (isJson) code.textContent = layoutJson(code.textContent ?? "") ?? code.textContent;
      highlight(code);
    } else {
      note.textContent = signal.aborted
        ? "You have stopped reading here."
        : "The body goes on; only its beginning was read.";
    }
  }
}

function headersOf({ headers }: Response): HTMLElement {
  const entries = [...headers].flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
  return element(
    "details",
    { open: "" },
    element("summary", {}, `Headers (${entries.length / 2})`),
    element("dl", { class: "headers" }, ...entries),
  );
}

/** Returns whether all of it was read. */
async function readInto(code: HTMLElement, response: Response, signal: AbortSignal): Promise<boolean> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let length = 0;
  try {
    for (;;) {
      const piece = await reader?.read();
      if (!piece || piece.done) return true;
      length += piece.value.length;
      code.append(piece.value);
      if (length > mostCharacters) {
        await reader?.cancel();
        return false;
      }
    }
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** More than that nobody reads in a page, and browsers become slow. */
const mostCharacters = 500_000;
