import { basePath } from "../../../operations/operation.ts";
import { html, pageOf } from "./page.ts";

/** For a person who has followed a wrong address: where there is something. */
export function notFoundPage(hasConsole: boolean): string {
  const ofConsole = html`<li><a href="/">The console</a>, to work with the store</li>
<li><a href="/docs">The interface</a>, to read and to try</li>
`;
  return pageOf(
    "Not found",
    "There is nothing at this address of the animal store.",
    html`<h1>There is nothing at this address</h1>
<p>It may be mistyped, or what was here is gone. This is what the animal store has:</p>
<ul>
${hasConsole ? ofConsole : ""}<li><a href="/docs/errors">The errors</a>, explained</li>
<li><a href="${basePath}/openapi.json">The OpenAPI document</a>, for programs</li>
</ul>`,
    hasConsole,
  );
}
