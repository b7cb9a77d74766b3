import { type Html, html } from "../base/html.ts";
import type { Media } from "./document.ts";
import type { Sample } from "./samples/samples.ts";

/** A piece of code that can be copied. */
export function codeView(title: string, code: Html | string, language: string, kind = ""): Html {
  return html`<figure class="code ${kind}"><figcaption>${title}</figcaption><pre tabindex="0" aria-label="${title}"><code data-language="${language}">${code}</code></pre></figure>
`;
}

/** One request in each language; the script shows one of them at a time. */
export function samplesView(samples: readonly Sample[], of: string): Html {
  return html`<div class="samples">
${samples.map(
  ({ language, title, code }) =>
    html`<figure class="code sample ${language}"><figcaption>${title}</figcaption><pre tabindex="0" aria-label="${of}: ${title}"><code data-language="${language}">${code}</code></pre></figure>
`,
)}</div>
`;
}

/** The examples of a content: the first at once, the others when they are asked for. */
export function examplesView(title: string, type: string, { examples }: Media, kind = ""): Html {
  const [first, ...others] = Object.values(examples).map(({ summary, value }) =>
    codeView(`${title}: ${summary}`, exampleText(value), languageOf(type), kind),
  );
  if (!first) return html``;
  const more = html`<details class="more"><summary>${others.length === 1 ? "Another example" : `${others.length} more examples`}<span class="unseen"> of ${title}</span></summary>${others}</details>
`;
  return html`${first}${others.length > 0 ? more : ""}`;
}

/** A body as it is sent, but for the spaces. */
export function exampleText(value: unknown): string {
  return typeof value === "string" ? value.trimEnd() : JSON.stringify(value, null, 2);
}

function languageOf(type: string): string {
  return type.includes("json") ? "json" : "text";
}
