import { html } from "../base/html.ts";
import { basePath } from "../operations/operation.ts";
import { renderPage } from "./page.ts";

export function renderNotFoundPage(hasConsole: boolean): string {
  const consoleLinks = html`<li><a href="/">The console</a>, to work with the store</li>
<li><a href="/docs">The API reference</a>, with requests to try</li>
`;
  return renderPage(
    "Not found",
    "There is no page at this path of the animal store.",
    html`<h1>Page not found</h1>
<p>The address may be mistyped, or the page was removed. These pages exist:</p>
<ul>
${hasConsole ? consoleLinks : ""}<li><a href="/docs/errors">The errors</a>, explained</li>
<li><a href="${basePath}/openapi.json">The OpenAPI document</a>, for programs</li>
</ul>`,
    hasConsole,
  );
}
