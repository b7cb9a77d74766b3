import { signIn } from "../account.ts";
import { createButton, createElement, requireElement } from "../element.ts";
import { createCopyButton } from "../figures.ts";
import { session } from "../session.ts";
import { createRequestForm, type TriedRequest } from "./request-form.ts";
import { createResponseView } from "./response-view.ts";

/** Lets the user send the request of an operation from a drawer, with the key of the session. */
export function enableTryIt(): void {
  const drawers = new Map<string, HTMLDialogElement>();
  requireElement("main").addEventListener("click", ({ target }) => {
    if (!(target instanceof Element)) return;
    const section = target.closest("button.try")?.closest<HTMLElement>("section");
    if (!section) return;
    // A drawer keeps its form and its response until the user leaves the page.
    const drawer = drawers.get(section.id) ?? createDrawer(section);
    drawers.set(section.id, drawer);
    drawer.showModal();
  });
}

function createDrawer(section: HTMLElement): HTMLDialogElement {
  const { form, readRequest } = createRequestForm(section);
  const response = createResponseView();
  const { method = "" } = section.dataset;
  form.id = `${section.id}-try`;
  let sending: AbortController | undefined;
  const abort = () => sending?.abort();
  const sendClass = method === "DELETE" ? "danger" : "primary";
  const send = createElement("button", { type: "submit", form: form.id, class: sendClass }, "Send");
  const stop = createButton("Stop", {}, abort);
  const path = createElement("code", { class: "line" });
  const update = () => {
    path.textContent = readRequest().path;
    send.disabled = sending !== undefined;
    stop.hidden = sending === undefined;
  };
  const account = createElement("p", { class: "who" });
  session.watch(() => {
    if (session.key !== undefined)
      account.replaceChildren("This sends a real request to this store, with the key that you are signed in with.");
    else account.replaceChildren("You are not signed in. ", createButton("Sign in", { class: "link" }, signIn));
  });
  const title = createElement("h2", { id: `${section.id}-try-title` }, requireElement("h3", section).textContent ?? "");
  const badge = createElement("span", { class: `method ${method.toLowerCase()}` }, method);
  const drawer = createElement(
    "dialog",
    { class: "drawer", "aria-labelledby": title.id },
    createElement(
      "header",
      {},
      title,
      createButton("Close", { class: "quiet" }, () => drawer.close()),
    ),
    createElement("p", { class: "route" }, badge, " ", path),
    account,
    form,
    createElement(
      "div",
      { class: "actions" },
      send,
      stop,
      createCopyButton(() => formatCurl(readRequest()), "Copy as curl"),
    ),
    response.root,
  );
  form.addEventListener("input", update);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    sending = new AbortController();
    const { signal } = sending;
    update();
    response.showSending();
    const start = performance.now();
    try {
      await response.show(await fetchRequest(readRequest(), signal), performance.now() - start, signal);
    } catch (error) {
      response.showFailure(describeFailure(error, signal));
    } finally {
      sending = undefined;
      update();
    }
  });
  drawer.addEventListener("click", (event) => {
    // A click on the backdrop has the drawer itself as its target.
    if (event.target === drawer) drawer.close();
  });
  drawer.addEventListener("close", abort);
  document.body.append(drawer);
  update();
  return drawer;
}

function fetchRequest({ method, path, headers, body }: TriedRequest, signal: AbortSignal): Promise<Response> {
  const { key } = session;
  return fetch(path, {
    method,
    headers: { ...headers, ...(key !== undefined && { Authorization: `Bearer ${key}` }) },
    body: body ?? null,
    cache: "no-store",
    signal,
  });
}

function describeFailure(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "Stopped before there was a response.";
  // The browser itself rejects an invalid header value, with its own message.
  const detail = error instanceof Error ? ` (${error.message})` : "";
  return `The request could not be sent, or its response could not be read${detail}.`;
}

function formatCurl({ method, path, headers, body }: TriedRequest): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    `curl -X ${method} ${quote(location.origin + path)}`,
    '-H "Authorization: Bearer $API_KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quote(body)}`]),
  ].join(" \\\n  ");
}
