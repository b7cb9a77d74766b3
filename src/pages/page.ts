import { hash } from "node:crypto";
import { Html, html } from "../base/html.ts";

/** The rules of the console's style sheet that HTML pages of plain text need. */
export const style = `
:root { color-scheme: light dark; --ink: light-dark(#151b18, #e9eeeb); --soft: light-dark(#57625c, #a0aba5);
  --ground: light-dark(#f7f8f7, #0e1110); --paper: light-dark(#ffffff, #161a18); --line: light-dark(#e4e8e5, #282e2b);
  --sunken: light-dark(#f1f3f1, #1f2422); --accent: light-dark(#0b6b4d, #4bc799);
  color: var(--ink); background: var(--ground); }
* { box-sizing: border-box; }
body { margin: 0; font: 0.9375rem / 1.5 "Inter", ui-sans-serif, system-ui, "Segoe UI", Roboto, sans-serif; }
header { display: flex; gap: 1.5rem; padding: 0.75rem 1.25rem; background: var(--paper); border-bottom: 1px solid var(--line); }
header a:first-child { font-weight: 600; }
main { max-width: 48rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
h1 { font-size: 1.5rem; margin: 0 0 0.75rem; }
h2 { font-size: 1.15rem; margin: 0 0 0.5rem; }
p { margin: 0 0 0.6rem; }
a { color: var(--accent); }
code, pre { font: 0.9em / 1.5 ui-monospace, monospace; background: var(--sunken); border-radius: 8px; }
code { padding: 0.1em 0.3em; overflow-wrap: anywhere; }
pre { margin: 0; padding: 0.75rem; white-space: pre-wrap; overflow-wrap: anywhere; }
section { padding: 1rem 1.25rem; margin: 1rem 0; background: var(--paper); border: 1px solid var(--line); border-radius: 14px; }
section:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
nav a { display: inline-block; min-height: 24px; line-height: 24px; }
nav ul { columns: 14rem; padding: 0 0 0 1.2rem; margin: 1rem 0; }
small { color: var(--soft); font-size: 0.9rem; font-weight: normal; }
`;

export function renderPage(title: string, description: string, content: Html, hasConsole: boolean): string {
  const links = html`<a href="/">Animal store</a> <a href="/docs">API reference</a>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title} – Animal store</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<header>${hasConsole ? links : "Animal store"}</header>
<main>
${content}
</main>
</body>
</html>
`.text;
}

export const htmlMediaType = "text/html; charset=utf-8";

/** Headers of all HTML pages, including the console's. */
export const isolationHeaders = {
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** Headers of pages that load only their own style sheet. Auditing tools need `connect-src` to fetch robots.txt from a page. */
export const pageHeaders = {
  ...isolationHeaders,
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};
