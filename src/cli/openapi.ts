import { createOpenApiDocument } from "../openapi/document.ts";
import { formatDocument } from "../openapi/format-document.ts";
import { operations } from "../operations/index.ts";
import { basePath } from "../operations/operation.ts";
import { command } from "./command.ts";

export const openApiCommand = command({
  name: "openapi",
  summary: "Print the OpenAPI document of the API.",
  details: "With --json, it is printed on one line.",
  async run({ output }) {
    const address = { url: `http://127.0.0.1:8080${basePath}`, description: "A server with the default settings" };
    const document = createOpenApiDocument(operations, [address]);
    return await output.print(formatDocument(document, "json"), document);
  },
});
