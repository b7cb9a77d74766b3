import { type Html, html, joinHtml } from "../base/html.ts";
import { type Media, nameOf, resolveReference, type Schema } from "./document.ts";
import { formatInline, renderProse } from "./prose.ts";

type Schemas = Readonly<Record<string, Schema>>;

export function toSchemaAnchor(name: string): string {
  return `schema-${name}`;
}

/** Renders the type of a body and its fields, or the fields of its items. */
export function renderBody({ schema }: Pick<Media, "schema">, schemas: Schemas): Html {
  const target = resolveReference(schema, schemas);
  return html`<p class="kind">${renderKind(schema, schemas)}</p>
${target.items ? renderRules(target) : ""}${renderShape(target.items ? resolveReference(target.items, schemas) : target, schemas)}`;
}

/** Renders everything about a schema except its name. */
export function renderShape(schema: Schema, schemas: Schemas): Html {
  const { properties, required = [], oneOf } = schema;
  if (oneOf)
    return html`<p>One of these:</p><ul class="names">${oneOf.map((one) => html`<li>${renderType(one, schemas)}</li>`)}</ul>`;
  if (!properties || Object.keys(properties).length === 0)
    return html`${schema.description ? renderProse(schema.description) : ""}${renderRules(schema)}`;
  const fields = Object.entries(properties).map(([name, field]) =>
    renderField({ name, schema: field, isRequired: required.includes(name) }, schemas),
  );
  return html`<ul class="fields">${fields}</ul>${renderRules(schema)}`;
}

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description?: string;
  readonly stability?: string | undefined;
  readonly example?: unknown;
  readonly id?: string;
  /** The location of a parameter, such as `query`, for the request form that the script builds. */
  readonly place?: string;
}

export function renderField(
  { name, schema, isRequired, description, stability, example, id, place }: Field,
  schemas: Schemas,
): Html {
  const target = resolveReference(schema, schemas);
  const text = description ?? schema.description ?? target.description;
  // A named schema with fields is described in a section of its own.
  const isShownElsewhere = nameOf(schema) !== undefined && target.properties !== undefined;
  const unnamedItems = schema.items && nameOf(schema.items) === undefined ? schema.items : undefined;
  return html`<li${id ? html` id="${id}"` : ""}${place ? renderInputAttributes(place, name, isRequired, target) : ""}>
<p class="field"><code class="name">${name}</code> <span class="type">${renderKind(schema, schemas)}</span>${isRequired ? html` <span class="required">required</span>` : ""}${stability ? html` ${renderStabilityBadge(stability)}` : ""}</p>
${text ? html`<p>${formatInline(text)}</p>` : ""}${isShownElsewhere ? "" : renderRules(example === undefined ? target : { ...target, example })}${(target.oneOf ?? []).map((one) => renderRules(resolveReference(one, schemas)))}${unnamedItems ? renderItems(unnamedItems, schemas) : ""}${schema.properties ? renderShape(schema, schemas) : ""}
</li>
`;
}

function renderItems(items: Schema, schemas: Schemas): Html {
  if (!items.properties) return renderRules(items, "each: ");
  return html`${items.description ? renderProse(items.description) : ""}${renderShape(items, schemas)}`;
}

export function renderStabilityBadge(level: string): Html {
  return html`<span class="badge ${level}">${level}</span>`;
}

function renderInputAttributes(
  place: string,
  name: string,
  isRequired: boolean,
  { type, enum: options, default: defaultValue }: Schema,
): Html {
  const choices = Array.isArray(options) ? html` data-options="${options.join(" ")}"` : "";
  return html` data-in="${place}" data-name="${name}"${isRequired ? html` data-required` : ""} data-type="${String(type ?? "")}"${choices}${defaultValue === undefined ? "" : html` data-default="${String(defaultValue)}"`}`;
}

/** Renders the type of a schema: for a list, with the type of its items; for alternatives, the type of each. */
export function renderKind(schema: Schema, schemas: Schemas): Html {
  const { items, oneOf } = resolveReference(schema, schemas);
  if (oneOf && nameOf(schema) === undefined)
    return joinHtml(
      oneOf.map((one) => renderKind(one, schemas)),
      " or ",
    );
  return html`${renderType(schema, schemas)}${items ? html` of ${renderType(items, schemas)}` : ""}`;
}

/** Renders a schema that has a name as a link, and any other schema as its type. */
function renderType(schema: Schema, schemas: Schemas): Html {
  const name = nameOf(schema);
  if (name !== undefined && schemas[name]) return html`<a href="#${toSchemaAnchor(name)}">${name}</a>`;
  const { type, format } = schema;
  const types = Array.isArray(type) ? type.join(" or ") : String(type ?? "any");
  return html`${types}${format ? ` (${format})` : ""}`;
}

/** Renders the constraints in words, and collapses long constraints. */
export function renderRules(schema: Schema, prefix = ""): Html {
  const rules = [
    ...describeRange(schema.minimum, schema.maximum, ""),
    ...describeRange(schema["minLength"], schema["maxLength"], " characters"),
    ...describeRange(schema["minItems"], schema["maxItems"], " items"),
    ...Object.entries(schema).flatMap(([keyword, value]) => describeRule(keyword, value)),
  ];
  const shortRules = rules.filter(({ title }) => title === undefined).map(({ text }) => text);
  const longRules = rules
    .filter(({ title }) => title !== undefined)
    .map(({ title = "", text }) => html`<details><summary>${prefix}${title}</summary><p>${text}</p></details>`);
  return shortRules.length + longRules.length === 0
    ? html``
    : html`<div class="rules">${shortRules.length > 0 ? prefix : ""}${joinHtml(shortRules, " · ")}${longRules}</div>`;
}

interface Rule {
  readonly text: Html;
  readonly title?: string | undefined;
}

function describeRange(min: unknown, max: unknown, unit: string): Rule[] {
  if (min === undefined && max === undefined) return [];
  if (max === undefined) return [{ text: html`at least ${String(min)}${unit}` }];
  return [{ text: html`${min === undefined ? "at most" : `${min} to`} ${String(max)}${unit}` }];
}

/** Describes a keyword of a schema. An unknown keyword is rendered unchanged, so that nothing is missing. */
function describeRule(keyword: string, value: unknown): Rule[] {
  if (separatelyShownKeywords.has(keyword)) return [];
  if (keyword === "uniqueItems") return [{ text: html`no duplicates` }];
  if (keyword === "additionalProperties" && value === false) return [{ text: html`no other fields` }];
  if (keyword === "minProperties")
    return [{ text: html`at least ${String(value)} ${value === 1 ? "field" : "fields"}` }];
  const title = escapeInvisible(value).length > 40 ? longRuleTitles[keyword] : undefined;
  if (keyword === "not") return [{ text: html`must not match ${renderRefusedPatterns(value as Schema)}`, title }];
  const shown = keyword === "propertyNames" ? (value as Schema).enum : value;
  const parts = Array.isArray(shown) && keyword !== "example" ? shown : [shown];
  return [{ text: html`${ruleWords[keyword] ?? `${keyword}:`} ${joinHtml(parts.map(renderCode), ", ")}`, title }];
}

const ruleWords: Readonly<Record<string, string>> = {
  enum: "one of",
  const: "always",
  example: "for example",
  examples: "for example",
  default: "default",
  pattern: "matches",
  propertyNames: "allowed fields:",
  additionalProperties: "other fields:",
};

const longRuleTitles: Readonly<Record<string, string>> = {
  pattern: "A pattern",
  not: "A pattern that it must not match",
};

const separatelyShownKeywords = new Set([
  ...["type", "format", "description", "properties", "required", "items", "oneOf", "$ref", "x-stability-level"],
  ...["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"],
]);

function renderRefusedPatterns({ allOf = [], ...schema }: Schema): Html {
  const parts = [schema, ...(allOf as Schema[])].filter((part) => Object.keys(part).length > 0);
  return joinHtml(
    parts.map(({ pattern, ...rest }) => renderCode(pattern ?? rest)),
    " and ",
  );
}

function renderCode(value: unknown): Html {
  return html`<code>${escapeInvisible(value)}</code>`;
}

/** Escapes all but printable ASCII characters, since some are invisible or change the text direction. */
function escapeInvisible(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
