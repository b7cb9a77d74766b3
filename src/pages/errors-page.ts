import { html, markUpCode } from "../base/html.ts";
import { type ErrorCode, errorCodes, errorKinds, titleOf } from "../operations/errors.ts";
import { renderPage } from "./page.ts";

/** Renders the page about all errors; the anchor of each error is its code. */
export function renderErrorsPage(hasConsole: boolean): string {
  return renderPage(
    "Errors",
    "What each error of the animal store means, and what to do about it.",
    html`<h1>Errors</h1>
<p>Every error has a body with its <code>code</code>, a <code>message</code> for people and the HTTP <code>status</code>.
If you accept <code>application/problem+json</code>, you get an RFC 9457 problem instead, whose <code>type</code> links
here. Go by the code, or by the status if you do not know the code: new codes may be added.</p>
<nav aria-label="Codes"><ul>
${errorCodes.map((code) => html`<li><a href="#${code}">${errorKinds[code].status} ${code}</a></li>\n`)}</ul></nav>
${errorCodes.map(renderError)}`,
    hasConsole,
  );
}

function renderError(code: ErrorCode) {
  const { status, meaning, example: message, remedy } = errorKinds[code];
  return html`<section id="${code}" aria-labelledby="${code}-title">
<h2 id="${code}-title">${code} <small>${status} ${titleOf(code)}</small></h2>
<p>${markUpCode(meaning)}</p>
<p>${markUpCode(remedy)}</p>
<pre><code>${JSON.stringify({ code, message, status })}</code></pre>
</section>
`;
}
