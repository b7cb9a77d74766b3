import { expect, test } from "bun:test";
import type { Html } from "../../src/base/html.ts";
import { openApiDocument } from "../../src/openapi/document.ts";
import { operations } from "../../src/operations/index.ts";
import { operationsOf, type ReferenceDocument } from "../../src/reference/document.ts";
import { samplesOf } from "../../src/reference/samples/samples.ts";
import { clientProject } from "../support/client-project.ts";

const address = { url: "/v1", description: "This server" };
const document = openApiDocument(operations, [address]) as unknown as ReferenceDocument;

test("the reference has samples for each operation, and those in TypeScript compile", () => {
  using project = clientProject();
  const samples = operationsOf(document).map((placed) => ({
    id: placed.operation.operationId,
    samples: samplesOf(placed, document),
  }));
  for (const { id, samples: ofOperation } of samples) {
    expect([id, ofOperation.map(({ language }) => language)]).toEqual([id, ["curl", "client", "fetch"]]);
  }
  const programs = samples.flatMap(({ samples: ofOperation }) =>
    ofOperation.filter(({ language }) => language !== "curl").map(({ code }) => textOf(code)),
  );
  const blocks = programs.map((program) => `{\n${program.replace(importLine, "")}\n}\n`);
  project.compile("samples", `${importLine}\n${blocks.join("")}`);
});

const importLine = 'import { AnimalStore } from "animal-store/client";';

function textOf({ text }: Html): string {
  return text.replace(/<[^>]+>/g, "").replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}
