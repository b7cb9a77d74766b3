import { type Html, html, joinHtml } from "../base/html.ts";
import { type Media, nameOf, resolved, type Schema } from "./document.ts";
import { inline, prose } from "./prose.ts";

type Schemas = Readonly<Record<string, Schema>>;

export function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

/** Shows the type of a body and its fields, or those of its items. */
export function bodyView({ schema }: Pick<Media, "schema">, schemas: Schemas): Html {
  const meant = resolved(schema, schemas);
  return html`<p class="kind">${kindOf(schema, schemas)}</p>
${meant.items ? rulesView(meant) : ""}${shapeOf(meant.items ? resolved(meant.items, schemas) : meant, schemas)}`;
}

/** Shows everything about a schema except its name. */
export function shapeOf(schema: Schema, schemas: Schemas): Html {
  const { properties, required = [], oneOf } = schema;
  if (oneOf)
    return html`<p>One of these:</p><ul class="names">${oneOf.map((one) => html`<li>${typeOf(one, schemas)}</li>`)}</ul>`;
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
  /** The anchor. */
  readonly id?: string;
  /** The place of a parameter, from which the script builds the forms. */
  readonly place?: string;
}

export function fieldView(
  { name, schema, isRequired, description, stability, example, id, place }: Field,
  schemas: Schemas,
): Html {
  const meant = resolved(schema, schemas);
  const text = description ?? schema.description ?? meant.description;
  // A named schema with fields has a description of its own.
  const isShownElsewhere = nameOf(schema) !== undefined && meant.properties !== undefined;
  const ofItems = schema.items && nameOf(schema.items) === undefined ? schema.items : undefined;
  return html`<li${id ? html` id="${id}"` : ""}${place ? inputOf(place, name, isRequired, meant) : ""}>
<p class="field"><code class="name">${name}</code> <span class="type">${kindOf(schema, schemas)}</span>${isRequired ? html` <span class="required">required</span>` : ""}${stability ? html` ${stabilityBadge(stability)}` : ""}</p>
${text ? html`<p>${inline(text)}</p>` : ""}${isShownElsewhere ? "" : rulesView(example === undefined ? meant : { ...meant, example })}${(meant.oneOf ?? []).map((one) => rulesView(resolved(one, schemas)))}${ofItems ? itemsView(ofItems, schemas) : ""}${schema.properties ? shapeOf(schema, schemas) : ""}
</li>
`;
}

/** Shows the items of a list if their schema has no name. */
function itemsView(items: Schema, schemas: Schemas): Html {
  if (!items.properties) return rulesView(items, "each: ");
  return html`${items.description ? prose(items.description) : ""}${shapeOf(items, schemas)}`;
}

export function stabilityBadge(level: string): Html {
  return html`<span class="badge ${level}">${level}</span>`;
}

function inputOf(
  place: string,
  name: string,
  isRequired: boolean,
  { type, enum: options, default: usual }: Schema,
): Html {
  const choices = Array.isArray(options) ? html` data-options="${options.join(" ")}"` : "";
  return html` data-in="${place}" data-name="${name}"${isRequired ? html` data-required` : ""} data-type="${String(type ?? "")}"${choices}${usual === undefined ? "" : html` data-default="${String(usual)}"`}`;
}

/** Returns the type, with that of the items of a list; all types if there are several. */
export function kindOf(schema: Schema, schemas: Schemas): Html {
  const { items, oneOf } = resolved(schema, schemas);
  if (oneOf && nameOf(schema) === undefined)
    return joinHtml(
      oneOf.map((one) => kindOf(one, schemas)),
      " or ",
    );
  return html`${typeOf(schema, schemas)}${items ? html` of ${typeOf(items, schemas)}` : ""}`;
}

/** Returns the name of a type, with a link if its schema has a name. */
function typeOf(schema: Schema, schemas: Schemas): Html {
  const name = nameOf(schema);
  if (name !== undefined && schemas[name]) return html`<a href="#${schemaAnchor(name)}">${name}</a>`;
  const { type, format } = schema;
  const types = Array.isArray(type) ? type.join(" or ") : String(type ?? "any");
  return html`${types}${format ? ` (${format})` : ""}`;
}

/** Shows the constraints in words, long ones folded. */
export function rulesView(schema: Schema, prefix = ""): Html {
  const rules = [...rangesOf(schema), ...Object.entries(schema).flatMap(([keyword, value]) => ruleOf(keyword, value))];
  const short = rules.filter(({ title }) => title === undefined).map(({ text }) => text);
  const long = rules
    .filter(({ title }) => title !== undefined)
    .map(({ title = "", text }) => html`<details><summary>${prefix}${title}</summary><p>${text}</p></details>`);
  return short.length + long.length === 0
    ? html``
    : html`<div class="rules">${short.length > 0 ? prefix : ""}${joinHtml(short, " · ")}${long}</div>`;
}

interface Rule {
  readonly text: Html;
  /** The summary of a folded rule. */
  readonly title?: string | undefined;
}

function rangesOf({ minimum, maximum, minLength, maxLength, minItems, maxItems }: Schema): Rule[] {
  return [
    rangeOf(minimum, maximum, ""),
    rangeOf(minLength, maxLength, " characters"),
    rangeOf(minItems, maxItems, " items"),
  ].flatMap((range) => (range ? { text: range } : []));
}

function rangeOf(least: unknown, most: unknown, unit: string): Html | undefined {
  if (least !== undefined && most !== undefined) return html`${String(least)} to ${String(most)}${unit}`;
  if (least !== undefined) return html`at least ${String(least)}${unit}`;
  return most === undefined ? undefined : html`at most ${String(most)}${unit}`;
}

/** A keyword without words here is shown as it is, so that nothing is left out. */
function ruleOf(keyword: string, value: unknown): Rule[] {
  if (shownElsewhere.has(keyword)) return [];
  const code = (part: unknown) => html`<code>${visible(part)}</code>`;
  const list = (parts: unknown) => joinHtml((Array.isArray(parts) ? parts : [parts]).map(code), ", ");
  switch (keyword) {
    case "enum":
      return [{ text: html`one of ${list(value)}` }];
    case "const":
      return [{ text: html`always ${code(value)}` }];
    case "default":
      return [{ text: html`default ${code(value)}` }];
    case "example":
      return [{ text: html`for example ${code(value)}` }];
    case "examples":
      return [{ text: html`for example ${list(value)}` }];
    case "pattern":
      return [{ text: html`matches ${code(value)}`, title: isLong(value) ? "A pattern" : undefined }];
    case "not":
      return [
        {
          text: html`must not match ${joinHtml(refusedOf(value as Schema), " and ")}`,
          title: isLong(value) ? "A pattern that it must not match" : undefined,
        },
      ];
    case "uniqueItems":
      return [{ text: html`no duplicates` }];
    case "minProperties":
      return [{ text: html`at least ${String(value)} ${value === 1 ? "field" : "fields"}` }];
    case "propertyNames":
      return [{ text: html`fields that may be there: ${list((value as Schema)["enum"] ?? value)}` }];
    case "additionalProperties":
      return [{ text: value === false ? html`no other fields` : html`other fields: ${code(value)}` }];
    default:
      return [{ text: html`${keyword}: ${code(value)}` }];
  }
}

const shownElsewhere = new Set([
  ...["type", "format", "description", "properties", "required", "items", "oneOf", "$ref", "x-stability-level"],
  ...["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"],
]);

function refusedOf({ allOf = [], ...schema }: Schema): Html[] {
  const parts = [schema, ...(allOf as Schema[])].filter((part) => Object.keys(part).length > 0);
  return parts.map(({ pattern, ...rest }) => html`<code>${visible(pattern ?? rest)}</code>`);
}

/** Writes a text as it is, another value as JSON, and characters that are invisible or change the direction as their numbers. */
function visible(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

function isLong(value: unknown): boolean {
  return visible(value).length > 40;
}
