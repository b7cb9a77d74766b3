import { type Html, html } from "../base/html.ts";
import type { Media } from "./document.ts";
import type { Sample } from "./samples.ts";

export function renderCode(title: string, code: Html | string, language: string, kind = "", label = title): Html {
  return html`<figure class="code ${kind}"><figcaption>${title}</figcaption><pre tabindex="0" aria-label="${label}"><code data-language="${language}">${code}</code></pre></figure>
`;
}

/** Renders a code sample in each language. Without the script of the page, all languages are shown. */
export function renderSamples(samples: readonly Sample[], subject: string): Html {
  const figures = samples.map(({ language, title, code }) =>
    renderCode(title, code, language, `sample ${language}`, `${subject}: ${title}`),
  );
  return html`<div class="samples">
${figures}</div>
`;
}

/** Renders examples. All examples but the first are collapsed. */
export function renderExamples(title: string, type: string, { examples }: Media, kind = ""): Html {
  const [first, ...others] = Object.values(examples).map(({ summary, value }) =>
    renderCode(`${title}: ${summary}`, formatExample(value), type.includes("json") ? "json" : "text", kind),
  );
  if (!first || others.length === 0) return first ?? html``;
  return html`${first}<details class="more"><summary>${others.length === 1 ? "Another example" : `${others.length} more examples`}<span class="unseen"> of ${title}</span></summary>${others}</details>
`;
}

export function formatExample(value: unknown): string {
  return typeof value === "string" ? value.trimEnd() : JSON.stringify(value, null, 2);
}
