import { button, element, requireElement } from "./element.ts";
import { currentKey, session } from "./session.ts";

export function showAccount(): void {
  const tools = requireElement(".bar .tools");
  session.watch(async () => {
    const { key } = session;
    if (key === undefined) return tools.replaceChildren(button("Sign in", { class: "primary" }, signIn));
    const name = element("span", { class: "who" }, "Signed in");
    const signOut = button("Sign out", { class: "quiet" }, () => session.signOut());
    tools.replaceChildren(name, signOut);
    const current = await currentKey(key);
    if (typeof current === "string") {
      name.replaceChildren("Key refused");
      name.title = current;
    } else {
      name.replaceChildren(element("bdi", { title: current.name }, current.name), ` (${current.scope})`);
    }
  });
}

/** Prompts for a key, and stores the key for this tab if the service accepts it. */
export function signIn(): void {
  const input = element("input", {
    id: "key",
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "ask_…",
    required: "",
    "aria-describedby": "key-hint key-complaint",
  });
  const complaint = element("p", { class: "complaint", id: "key-complaint", role: "alert" });
  const dialog = element("dialog", { class: "sign-in", "aria-labelledby": "sign-in-title" });
  const form = element(
    "form",
    {},
    element("h2", { id: "sign-in-title" }, "Sign in"),
    element("label", { for: "key" }, "API key"),
    input,
    element(
      "p",
      { class: "hint", id: "key-hint" },
      "The key is stored for this tab only. The console uses it as well.",
    ),
    complaint,
    element(
      "div",
      { class: "actions" },
      element("button", { type: "submit", class: "primary" }, "Sign in"),
      button("Cancel", {}, () => dialog.close()),
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const key = input.value.trim();
    // An HTTP header cannot contain any other characters.
    const isSendable = /^[\x21-\x7e]+$/.test(key);
    const current = isSendable ? await currentKey(key) : "A key contains only ASCII letters, digits and punctuation.";
    if (typeof current === "string") {
      complaint.textContent = current;
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
