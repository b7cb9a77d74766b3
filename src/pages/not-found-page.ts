import { html } from "../base/html.ts";
import { basePath } from "../operations/operation.ts";
import { pageOf } from "./page.ts";

/** For a person who has followed a broken link. */
export function notFoundPage(hasConsole: boolean): string {
  const ofConsole = html`<li><a href="/">The console</a>, to work with the store</li>
<li><a href="/docs">The API reference</a>, with requests to try</li>
`;
  return pageOf(
    "Not found",
    "There is no page at this path of the animal store.",
    html`<h1>Page not found</h1>
<p>The address may be mistyped, or the page was removed. These pages exist:</p>
<ul>
${hasConsole ? ofConsole : ""}<li><a href="/docs/errors">The errors</a>, explained</li>
<li><a href="${basePath}/openapi.json">The OpenAPI document</a>, for programs</li>
</ul>`,
    hasConsole,
  );
}
