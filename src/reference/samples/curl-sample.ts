import { type Html, html } from "../../base/html.ts";
import type { SampleRequest } from "./sample-request.ts";

export function curlSample({ method, origin, path, body, answer }: SampleRequest): Html {
  const isImplied = method === (body ? "POST" : "GET");
  const lines = [
    html`curl ${isImplied ? "" : `-X ${method} `}${origin}${path}`,
    html`-H "Authorization: Bearer $API_KEY"`,
    ...(body ? [html`-H "Content-Type: ${body.type}"`, html`-d '${quoted(JSON.stringify(body.value))}'`] : []),
    ...(answer === "nothing" ? [html`-i`] : []),
  ];
  return html`${lines.flatMap((line, index) => [html`${index > 0 ? " \\\n  " : ""}`, line])}`;
}

/** Between single quotes, a shell takes everything as it is but a single quote. */
function quoted(text: string): string {
  return text.replaceAll("'", "'\\''");
}
