import { expect, test } from "bun:test";
import { createOpenApiDocument } from "../openapi/document.ts";
import { operations } from "../operations/index.ts";
import { listOperations, type ReferenceDocument } from "./document.ts";
import { renderReferencePage } from "./reference-page.ts";

const address = { url: "/v1", description: "This server" };
const document = createOpenApiDocument(operations, [address]) as unknown as ReferenceDocument;
const assets = { script: "/assets/reference-1.js", style: "/assets/reference-1.css", icon: "/assets/icon-1.svg" };
const page = renderReferencePage(document, assets);

test("the reference contains every text, name and constraint of the OpenAPI document", () => {
  const shownText = toPlainText(page);
  const missingFacts = [...new Set(collectFacts(document))].filter(
    (fact) => !shownText.includes(normalizeSpaces(fact)),
  );
  expect(missingFacts).toEqual([]);
});

test("each operation has a section in the reference, with its method, path, parameters, responses and samples", () => {
  const allOperations = listOperations(document);
  expect(allOperations.length).toBeGreaterThan(30);
  for (const { method, path, operation } of allOperations) {
    const section = toPlainText(findSection(operation.operationId));
    for (const part of [method, `/v1${path}`, "Try it", ...Object.keys(operation.responses)]) {
      expect(`${operation.operationId}: ${section}`).toContain(part);
    }
    for (const language of ["curl", "TypeScript client", "fetch"]) expect(section).toContain(language);
    const names = findSection(operation.operationId).match(/(?<=data-name=")[^"]+/g) ?? [];
    expect(names).toHaveLength(operation.parameters.length);
  }
});

test("the reference has a notice for a deprecated operation, with the date of its removal", () => {
  const text = toPlainText(findSection("getPet"));
  expect(text).toContain("Deprecated. It works until the end of 5 December 2030 (UTC), and is then removed.");
  expect(page.match(/class="badge deprecated"/g)).toHaveLength(1);
});

test("every internal link of the reference has a target, and every anchor is unique", () => {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const links = new Set([...page.matchAll(/ href="#([^"]+)"/g)].map(([, id = ""]) => id));
  expect([...links].filter((id) => !ids.includes(id))).toEqual([]);
  // Users have bookmarked these anchors of an earlier version of the page.
  for (const id of ["tag/animals/POST/pets", "tag/animals/GET/pets/{petId}", "tag/keys", "description/introduction"]) {
    expect(ids).toContain(id);
  }
});

test("the reference contains nothing that its Content-Security-Policy forbids, and no invisible characters", () => {
  expect(page).not.toMatch(/<style|<script(?! type="module" src=)|\sstyle=|\son\w+=|javascript:/);
  expect(page).not.toMatch(/(?![\n ])[\p{C}\p{Z}\p{M}]/u);
});

test("the reference shows an unknown constraint unchanged, and escapes markup in the document", () => {
  const schemas = {
    ...document.components.schemas,
    Odd: { type: "number", multipleOf: 7, description: "a <b> & c" },
  };
  const changedPage = renderReferencePage({ ...document, components: { ...document.components, schemas } }, assets);
  expect(changedPage).toContain("multipleOf: <code>7</code>");
  expect(changedPage).toContain("a &#60;b&#62; &#38; c");
});

test("the samples in the reference contain the origin of the configured server, or else a placeholder that the script replaces", () => {
  expect(findSection("listPets")).toContain('curl <span class="origin">http://127.0.0.1:8080</span>/v1/pets');
  const servers = [{ url: "https://shop.example/store/v1", description: "Production" }];
  expect(toPlainText(renderReferencePage({ ...document, servers }, assets))).toContain(
    "curl https://shop.example/store/v1/pets",
  );
});

function findSection(id: string): string {
  const [, section = ""] = page.split(`<section class="operation" id="${id}" `);
  return section.slice(0, section.indexOf("</section>"));
}

/** Returns the facts of a document as texts that a reader could search for. */
function collectFacts(part: unknown, name = ""): string[] {
  if (typeof part === "string") return splitIntoFacts(part, name);
  if (typeof part === "number") return [String(part)];
  if (typeof part !== "object" || part === null) return [];
  if (Array.isArray(part)) return part.flatMap((each) => collectFacts(each, name));
  return Object.entries(part).flatMap(([key, value]) => {
    if (omittedKeywords.has(key)) return [];
    if (key === "value") return [typeof value === "string" ? value.trimEnd() : JSON.stringify(value, null, 2)];
    const isName = ["properties", "paths", "headers", "schemas", "webhooks", "content", "responses"].includes(name);
    return [...(isName ? [key.replace(/\..*$/, key.includes("/") ? "$&" : "")] : []), ...collectFacts(value, key)];
  });
}

function splitIntoFacts(text: string, name: string): string[] {
  if (["description", "summary"].includes(name)) return text.split("\n\n").map(stripMarkdown);
  return [text.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)];
}

/** Keywords that the reference omits or describes in other words. */
const omittedKeywords = new Set([
  "openapi",
  "contact",
  "license",
  "security",
  "securitySchemes",
  "$ref",
  "operationId",
  "x-sunset",
]);

function stripMarkdown(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1").replace(/\*\*|`/g, "");
}

function toPlainText(markup: string): string {
  return normalizeSpaces(
    markup.replace(/<[^>]+>/g, "").replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
  );
}

function normalizeSpaces(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
