import { hash } from "node:crypto";
import { Html, html } from "../base/html.ts";
import { style } from "./style.ts";

/** Renders an HTML page, with links to the console and the reference if they were built. */
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

export const pageType = "text/html; charset=utf-8";

/**
 * The headers of these HTML pages. The policy allows nothing but their own style sheet; `connect-src` is for auditing tools, which fetch
 * robots.txt in the name of the page.
 */
export const pageHeaders = {
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
} as const;
