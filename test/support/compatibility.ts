/** An OpenAPI document or a part of it. */
interface Node {
  readonly [key: string]: Node | undefined;
}

/** Returns the changes from one document to the next that can break clients of stable operations. */
export function findBreakingChanges(before: unknown, after: unknown): string[] {
  return [...compareDocuments(new DocumentReader(before), new DocumentReader(after))];
}

function* compareDocuments(before: DocumentReader, after: DocumentReader): Iterable<string> {
  for (const [path, method, operation] of before.operations()) {
    const name = String(operation["operationId"]);
    const successor = after.root["paths"]?.[path]?.[method];
    if (successor && levelOf(successor) < levelOf(operation)) yield `${name}: the level is lower`;
    if (levelOf(operation) < stableLevel) continue;
    if (!successor) yield `${name} is gone`;
    else for (const change of compareOperations(before, operation, after, successor)) yield `${name}: ${change}`;
  }
}

function* compareOperations(before: DocumentReader, one: Node, after: DocumentReader, other: Node): Iterable<string> {
  const scopes = ["read", "write", "admin"];
  const scopeOf = (operation: Node) => scopes.indexOf(String(operation["x-required-scope"]));
  if (scopeOf(other) > scopeOf(one)) yield "the scope is larger";
  yield* compareParameters(before, one, after, other);
  yield* compareBodies(before, one["requestBody"], after, other["requestBody"]);
  yield* compareResponses(before, one["responses"] ?? {}, after, other["responses"] ?? {});
}

function* compareParameters(before: DocumentReader, one: Node, after: DocumentReader, other: Node): Iterable<string> {
  const [old, now] = [before.parametersOf(one), after.parametersOf(other)];
  for (const [name, parameter] of old) {
    const successor = now.get(name);
    if (successor && parameterLevel(successor) < parameterLevel(parameter)) {
      yield `the level of the parameter ${name} is lower`;
    }
    if (parameterLevel(parameter) < stableLevel) continue;
    if (!successor) yield `the parameter ${name} is gone`;
    else {
      if (successor["required"] && !parameter["required"]) yield `the parameter ${name} is required`;
      yield* before.compareSchemas(parameter["schema"], after, successor["schema"], "before", `the parameter ${name}`);
    }
  }
  for (const [name, parameter] of now) {
    if (!old.has(name) && parameter["required"]) yield `the parameter ${name} is new and required`;
  }
}

function* compareBodies(
  before: DocumentReader,
  one: Node | undefined,
  after: DocumentReader,
  other: Node | undefined,
): Iterable<string> {
  if (other?.["required"] && !one?.["required"]) yield "a body is required";
  for (const [type, content] of Object.entries(one?.["content"] ?? {})) {
    const successor = other?.["content"]?.[type];
    if (!successor) yield `a body of ${type} is no longer accepted`;
    else yield* before.compareSchemas(content?.["schema"], after, successor["schema"], "before", "the body");
  }
}

function* compareResponses(before: DocumentReader, one: Node, after: DocumentReader, other: Node): Iterable<string> {
  for (const [status, reference] of Object.entries(one)) {
    if (!/^[23]/.test(status)) continue;
    const response = before.resolve(reference);
    const successor = other[status] && after.resolve(other[status]);
    if (!successor) yield `${status} is no longer a response`;
    for (const name of Object.keys(response?.["headers"] ?? {})) {
      if (successor && !successor["headers"]?.[name]) yield `${status} has no ${name}`;
    }
    for (const [type, content] of Object.entries(response?.["content"] ?? {})) {
      const now = successor?.["content"]?.[type];
      if (!now) yield `${status} is no longer available as ${type}`;
      else yield* before.compareSchemas(content?.["schema"], after, now["schema"], "after", `the response ${status}`);
    }
  }
}

class DocumentReader {
  readonly root: Node;

  constructor(document: unknown) {
    this.root = document as Node;
  }

  *operations(): Iterable<[path: string, method: string, operation: Node]> {
    for (const [path, item] of Object.entries(this.root["paths"] ?? {})) {
      for (const [method, operation] of Object.entries(item ?? {})) if (operation) yield [path, method, operation];
    }
  }

  parametersOf(operation: Node): Map<string, Node> {
    const parameters = (operation["parameters"] ?? []) as readonly Node[];
    return new Map(parameters.map((one) => this.resolve(one)).map((one) => [String(one["name"]), one]));
  }

  /** Yields incompatible changes: old requests must fit the new schema, and new responses the old schema. */
  *compareSchemas(
    one: Node | undefined,
    after: DocumentReader,
    other: Node | undefined,
    sender: "before" | "after",
    place: string,
  ): Iterable<string> {
    const [old, now] = [this.resolve(one), after.resolve(other)];
    const [sent, accepted] = sender === "before" ? [old, now] : [now, old];
    yield* compareKeywords(sent, accepted, place);
    for (const [name, property] of Object.entries(old["properties"] ?? {})) {
      const successor = now["properties"]?.[name];
      if (!successor) yield `${place} has no ${name}`;
      else yield* this.compareSchemas(property, after, successor, sender, `${name} in ${place}`);
    }
    if (old["items"]) yield* this.compareSchemas(old["items"], after, now["items"], sender, `an item of ${place}`);
  }

  resolve(node: Node | undefined): Node {
    const reference = node?.["$ref"] as unknown as string | undefined;
    if (!reference) return node ?? {};
    const keys = reference.replace("#/", "").split("/");
    return keys.reduce<Node>((node, key) => node[key] ?? {}, this.root);
  }
}

/** Keywords of bounds, with 1 for lower bounds and -1 for upper bounds. */
const boundSigns = { minimum: 1, minLength: 1, minItems: 1, maximum: -1, maxLength: -1, maxItems: -1 };

function* compareKeywords(sent: Node, accepted: Node, place: string): Iterable<string> {
  for (const keyword of ["type", "format", "pattern", "not", "const"]) {
    if (accepted[keyword] !== undefined && normalize(sent[keyword]) !== normalize(accepted[keyword])) {
      yield `${place} has a different ${keyword}`;
    }
  }
  for (const value of toList(sent["enum"])) {
    if (accepted["enum"] && !toList(accepted["enum"]).includes(value)) yield `${place} does not allow ${value}`;
  }
  if (accepted["enum"] && !sent["enum"]) yield `${place} is limited to some values`;
  for (const [keyword, sign] of Object.entries(boundSigns)) {
    const [loose, strict] = [toNumber(sent[keyword], -Infinity * sign), toNumber(accepted[keyword], -Infinity * sign)];
    if (strict * sign > loose * sign) yield `${place} has a narrower ${keyword}`;
  }
  for (const name of toList(accepted["required"])) {
    if (!toList(sent["required"]).includes(name)) yield `${place} needs ${name}`;
  }
}

function levelOf(operation: Node): number {
  return ["experimental", "beta", "stable"].indexOf(String(operation["x-stability-level"]));
}

const stableLevel = 2;

/** Returns the level of a parameter. The parameters of stable operations are stable by default. */
function parameterLevel(parameter: Node): number {
  return parameter["x-stability-level"] === undefined ? stableLevel : levelOf(parameter);
}

/** Serializes a schema. Keywords beside `allOf` and keywords in `allOf` result in the same text. */
function normalize(value: Node | undefined): string {
  const { allOf, ...rest } = typeof value === "object" ? value : {};
  return JSON.stringify(allOf ? [rest, ...toList(allOf)].filter((part) => Object.keys(part).length > 0) : value);
}

function toList(node: Node | undefined): string[] {
  return (node ?? []) as unknown as string[];
}

function toNumber(node: Node | undefined, fallback: number): number {
  return node === undefined ? fallback : Number(node);
}
