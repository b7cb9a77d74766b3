import { type Html, html } from "../../base/html.ts";
import { literal } from "./literal.ts";
import type { SampleRequest } from "./sample-request.ts";

export function fetchSample({ method, origin, path, body, answer }: SampleRequest): Html {
  const ofBody = body
    ? html`    "Content-Type": ${JSON.stringify(body.type)},
  },
  body: JSON.stringify(${literal(body.value, "  ")}),`
    : html`  },`;
  return html`const apiKey = "ask_...";
const response = await fetch("${origin}${path}", {
  method: "${method}",
  headers: {
    Authorization: "Bearer " + apiKey,
${ofBody}
});
console.log(${results[answer]});`;
}

const results = {
  nothing: "response.status",
  value: "response.status, await response.json()",
  pages: 'await response.json(), response.headers.get("Link")',
  lines: "await response.text()",
} as const;
