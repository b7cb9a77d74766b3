import { type Html, html, joinHtml } from "../base/html.ts";
import { type Media, nameOf, resolveReference, type Schema } from "./document.ts";
import { formatInline, prose } from "./prose.ts";

type Schemas = Readonly<Record<string, Schema>>;

export function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

/** Renders the type of a body with its fields, or with the fields of its items. */
export function bodyView({ schema }: Pick<Media, "schema">, schemas: Schemas): Html {
  const target = resolveReference(schema, schemas);
  return html`<p class="kind">${kindView(schema, schemas)}</p>
${target.items ? rulesView(target) : ""}${shapeView(target.items ? resolveReference(target.items, schemas) : target, schemas)}`;
}

/** Renders everything about a schema except its name. */
export function shapeView(schema: Schema, schemas: Schemas): Html {
  const { properties, required = [], oneOf } = schema;
  if (oneOf)
    return html`<p>One of these:</p><ul class="names">${oneOf.map((one) => html`<li>${typeView(one, schemas)}</li>`)}</ul>`;
  if (!properties || Object.keys(properties).length === 0)
    return html`${schema.description ? prose(schema.description) : ""}${rulesView(schema)}`;
  const fields = Object.entries(properties).map(([name, field]) =>
    fieldView({ name, schema: field, isRequired: required.includes(name) }, schemas),
  );
  return html`<ul class="fields">${fields}</ul>${rulesView(schema)}`;
}

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description?: string;
  readonly stability?: string | undefined;
  readonly example?: unknown;
  /** The id of the list item, as a target for links. */
  readonly id?: string;
  /** The location of a parameter: path, query or header. The script builds its forms from this location. */
  readonly place?: string;
}

export function fieldView(
  { name, schema, isRequired, description, stability, example, id, place }: Field,
  schemas: Schemas,
): Html {
  const target = resolveReference(schema, schemas);
  const text = description ?? schema.description ?? target.description;
  // A named schema with fields is described in a section of its own.
  const isShownElsewhere = nameOf(schema) !== undefined && target.properties !== undefined;
  const unnamedItems = schema.items && nameOf(schema.items) === undefined ? schema.items : undefined;
  return html`<li${id ? html` id="${id}"` : ""}${place ? inputAttributes(place, name, isRequired, target) : ""}>
<p class="field"><code class="name">${name}</code> <span class="type">${kindView(schema, schemas)}</span>${isRequired ? html` <span class="required">required</span>` : ""}${stability ? html` ${stabilityBadge(stability)}` : ""}</p>
${text ? html`<p>${formatInline(text)}</p>` : ""}${isShownElsewhere ? "" : rulesView(example === undefined ? target : { ...target, example })}${(target.oneOf ?? []).map((one) => rulesView(resolveReference(one, schemas)))}${unnamedItems ? itemsView(unnamedItems, schemas) : ""}${schema.properties ? shapeView(schema, schemas) : ""}
</li>
`;
}

/** Renders the items of a list whose schema has no name. */
function itemsView(items: Schema, schemas: Schemas): Html {
  if (!items.properties) return rulesView(items, "each: ");
  return html`${items.description ? prose(items.description) : ""}${shapeView(items, schemas)}`;
}

export function stabilityBadge(level: string): Html {
  return html`<span class="badge ${level}">${level}</span>`;
}

function inputAttributes(
  place: string,
  name: string,
  isRequired: boolean,
  { type, enum: options, default: defaultValue }: Schema,
): Html {
  const choices = Array.isArray(options) ? html` data-options="${options.join(" ")}"` : "";
  return html` data-in="${place}" data-name="${name}"${isRequired ? html` data-required` : ""} data-type="${String(type ?? "")}"${choices}${defaultValue === undefined ? "" : html` data-default="${String(defaultValue)}"`}`;
}

/** Renders the type: for a list also the type of its items, and for alternatives the type of each. */
export function kindView(schema: Schema, schemas: Schemas): Html {
  const { items, oneOf } = resolveReference(schema, schemas);
  if (oneOf && nameOf(schema) === undefined)
    return joinHtml(
      oneOf.map((one) => kindView(one, schemas)),
      " or ",
    );
  return html`${typeView(schema, schemas)}${items ? html` of ${typeView(items, schemas)}` : ""}`;
}

/** Renders the name of a type, as a link if its schema has a name. */
function typeView(schema: Schema, schemas: Schemas): Html {
  const name = nameOf(schema);
  if (name !== undefined && schemas[name]) return html`<a href="#${schemaAnchor(name)}">${name}</a>`;
  const { type, format } = schema;
  const types = Array.isArray(type) ? type.join(" or ") : String(type ?? "any");
  return html`${types}${format ? ` (${format})` : ""}`;
}

/** Renders the constraints in words; long ones are collapsed. */
export function rulesView(schema: Schema, prefix = ""): Html {
  const rules = [
    ...describeRanges(schema),
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
  /** The summary of a collapsed rule. */
  readonly title?: string | undefined;
}

function describeRanges({ minimum, maximum, minLength, maxLength, minItems, maxItems }: Schema): Rule[] {
  return [
    ...describeRange(minimum, maximum, ""),
    ...describeRange(minLength, maxLength, " characters"),
    ...describeRange(minItems, maxItems, " items"),
  ];
}

function describeRange(min: unknown, max: unknown, unit: string): Rule[] {
  if (min === undefined && max === undefined) return [];
  if (max === undefined) return [{ text: html`at least ${String(min)}${unit}` }];
  return [{ text: html`${min === undefined ? "at most" : `${min} to`} ${String(max)}${unit}` }];
}

/** Describes a keyword of a schema. An unknown keyword is rendered unchanged, so that nothing is missing. */
function describeRule(keyword: string, value: unknown): Rule[] {
  if (separatelyShownKeywords.has(keyword)) return [];
  const code = (part: unknown) => html`<code>${escapeInvisible(part)}</code>`;
  const list = (parts: unknown) => joinHtml((Array.isArray(parts) ? parts : [parts]).map(code), ", ");
  const rule = (text: Html, title?: string): Rule[] => [{ text, title: isLong(value) ? title : undefined }];
  switch (keyword) {
    case "enum":
      return rule(html`one of ${list(value)}`);
    case "const":
      return rule(html`always ${code(value)}`);
    case "default":
      return rule(html`default ${code(value)}`);
    case "example":
      return rule(html`for example ${code(value)}`);
    case "examples":
      return rule(html`for example ${list(value)}`);
    case "pattern":
      return rule(html`matches ${code(value)}`, "A pattern");
    case "not":
      return rule(
        html`must not match ${joinHtml(refusedPatterns(value as Schema), " and ")}`,
        "A pattern that it must not match",
      );
    case "uniqueItems":
      return rule(html`no duplicates`);
    case "minProperties":
      return rule(html`at least ${String(value)} ${value === 1 ? "field" : "fields"}`);
    case "propertyNames":
      return rule(html`allowed fields: ${list((value as Schema)["enum"] ?? value)}`);
    case "additionalProperties":
      return rule(value === false ? html`no other fields` : html`other fields: ${code(value)}`);
    default:
      return rule(html`${keyword}: ${code(value)}`);
  }
}

const separatelyShownKeywords = new Set([
  ...["type", "format", "description", "properties", "required", "items", "oneOf", "$ref", "x-stability-level"],
  ...["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"],
]);

function refusedPatterns({ allOf = [], ...schema }: Schema): Html[] {
  const parts = [schema, ...(allOf as Schema[])].filter((part) => Object.keys(part).length > 0);
  return parts.map(({ pattern, ...rest }) => html`<code>${escapeInvisible(pattern ?? rest)}</code>`);
}

/** Formats a value other than a text as JSON. Escapes all but printable ASCII characters, since some are invisible or change the text direction. */
function escapeInvisible(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

function isLong(value: unknown): boolean {
  return escapeInvisible(value).length > 40;
}
