import { createButton, createElement, requireElement } from "./element.ts";
import { fetchCurrentKey, session } from "./session.ts";

export function showAccount(): void {
  const tools = requireElement(".bar .tools");
  session.watch(async () => {
    const { key } = session;
    if (key === undefined) return tools.replaceChildren(createButton("Sign in", { class: "primary" }, signIn));
    const name = createElement("span", { class: "who" }, "Signed in");
    const signOut = createButton("Sign out", { class: "quiet" }, () => session.signOut());
    tools.replaceChildren(name, signOut);
    const result = await fetchCurrentKey(key);
    if (typeof result === "string") {
      name.replaceChildren("Key refused");
      name.title = result;
    } else {
      name.replaceChildren(createElement("bdi", { title: result.name }, result.name), ` (${result.scope})`);
    }
  });
}

/** Prompts for a key, and stores the key for this tab if the service accepts it. */
export function signIn(): void {
  const input = createElement("input", {
    id: "key",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "ask_…",
    required: "",
    "aria-describedby": "key-hint key-complaint",
  });
  const complaint = createElement("p", { class: "complaint", id: "key-complaint", role: "alert" });
  const dialog = createElement("dialog", { class: "sign-in", "aria-labelledby": "sign-in-title" });
  const form = createElement(
    "form",
    {},
    createElement("h2", { id: "sign-in-title" }, "Sign in"),
    createElement("label", { for: "key" }, "API key"),
    input,
    createElement(
      "p",
      { class: "hint", id: "key-hint" },
      "The key is stored for this tab only. The console uses it as well.",
    ),
    complaint,
    createElement(
      "div",
      { class: "actions" },
      createElement("button", { type: "submit", class: "primary" }, "Sign in"),
      createButton("Cancel", {}, () => dialog.close()),
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const key = input.value.trim();
    // An HTTP header cannot contain any other characters.
    const isSendable = /^[\x21-\x7e]+$/.test(key);
    const result = isSendable
      ? await fetchCurrentKey(key)
      : "A key contains only ASCII letters, digits and punctuation.";
    if (typeof result === "string") {
      complaint.textContent = result;
      input.setAttribute("aria-invalid", "true");
      input.select();
    } else {
      dialog.close();
      session.signIn(key);
    }
  });
  dialog.append(form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
