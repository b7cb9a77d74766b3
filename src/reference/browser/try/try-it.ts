import { signIn } from "../account.ts";
import { button, element, the } from "../element.ts";
import { copyButton } from "../figures.ts";
import { session } from "../session.ts";
import { RequestForm, type TriedRequest } from "./request-form.ts";
import { ResponseView } from "./response-view.ts";

/** Opens a drawer in which the request of a section can be sent, with the key of the session. */
export function offerTrying(): void {
  const drawers = new Map<string, Drawer>();
  the("main").addEventListener("click", ({ target }) => {
    const section =
      target instanceof Element && target.closest("button.try") ? target.closest<HTMLElement>("section") : null;
    if (!section) return;
    // The form and the response are kept until the page is left.
    const drawer = drawers.get(section.id) ?? new Drawer(section);
    drawers.set(section.id, drawer);
    drawer.open();
  });
}

class Drawer {
  readonly #dialog: HTMLDialogElement;
  readonly #request: RequestForm;
  readonly #response = new ResponseView();
  readonly #line = element("code", { class: "line" });
  readonly #send: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  #sending: AbortController | undefined;

  constructor(section: HTMLElement) {
    this.#request = new RequestForm(section);
    const { form } = this.#request;
    const title = `${section.id}-try-title`;
    const { method = "" } = section.dataset;
    form.id = `${section.id}-try`;
    this.#send = element(
      "button",
      { type: "submit", form: form.id, class: method === "DELETE" ? "danger" : "primary" },
      "Send",
    );
    this.#stop = button("Stop", {}, () => this.#sending?.abort());
    const who = element("p", { class: "who" });
    session.watch(() => {
      if (session.key !== undefined)
        who.replaceChildren("This sends a real request to this store, with the key that you are signed in with.");
      else who.replaceChildren("You are not signed in. ", button("Sign in", { class: "link" }, signIn));
    });
    const heading = element("h2", { id: title }, the("h3", section).textContent ?? "");
    const close = button("Close", { class: "quiet" }, () => this.#dialog.close());
    const badge = element("span", { class: `method ${method.toLowerCase()}` }, method);
    const copy = copyButton(() => curlOf(this.#request.request), "Copy as curl");
    this.#dialog = element(
      "dialog",
      { class: "drawer", "aria-labelledby": title },
      element("header", {}, heading, close),
      element("p", { class: "route" }, badge, " ", this.#line),
      who,
      form,
      element("div", { class: "actions" }, this.#send, this.#stop, copy),
      this.#response.root,
    );
    form.addEventListener("input", () => this.#update());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#try();
    });
    // A click beside the drawer closes it.
    this.#dialog.addEventListener("click", (event) => {
      if (event.target === this.#dialog) this.#dialog.close();
    });
    this.#dialog.addEventListener("close", () => this.#sending?.abort());
    document.body.append(this.#dialog);
    this.#update();
  }

  open(): void {
    this.#dialog.showModal();
  }

  #update(): void {
    this.#line.textContent = this.#request.request.path;
    this.#send.disabled = this.#sending !== undefined;
    this.#stop.hidden = this.#sending === undefined;
  }

  async #try(): Promise<void> {
    const { method, path, headers, body } = this.#request.request;
    const { key } = session;
    const sending = new AbortController();
    this.#sending = sending;
    this.#update();
    this.#response.wait();
    const start = performance.now();
    try {
      const response = await fetch(path, {
        method,
        headers: { ...headers, ...(key !== undefined && { Authorization: `Bearer ${key}` }) },
        body: body ?? null,
        cache: "no-store",
        signal: sending.signal,
      });
      await this.#response.show(response, performance.now() - start, sending.signal);
    } catch (error) {
      this.#response.fail(reasonOf(error, sending.signal));
    } finally {
      this.#sending = undefined;
      this.#update();
    }
  }
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "Stopped before there was a response.";
  // The browser itself rejects an invalid value of a header, in its own words.
  const detail = error instanceof Error ? ` (${error.message})` : "";
  return `The request could not be sent, or its response could not be read${detail}.`;
}

/** Returns the request for a shell, without the key itself. */
function curlOf({ method, path, headers, body }: TriedRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    `curl -X ${method} ${quoted(location.origin + path)}`,
    '-H "Authorization: Bearer $API_KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ].join(" \\\n  ");
}
