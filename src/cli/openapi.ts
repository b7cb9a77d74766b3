import { readSettings } from "../config.ts";
import { openApiDocument } from "../openapi/document.ts";
import { documentText } from "../openapi/text.ts";
import { operations } from "../operations/index.ts";
import { basePath } from "../operations/operation.ts";
import { type Command, exitCodes } from "./command.ts";

export const openApiCommand: Command = {
  name: "openapi",
  usage: "openapi",
  summary: "Print the OpenAPI document of the API.",
  settings: {},
  async run(args) {
    readSettings(this.settings, args);
    const address = { url: `http://127.0.0.1:8080${basePath}`, description: "A server with the default settings" };
    console.log(documentText(openApiDocument(operations, [address]), "json"));
    return exitCodes.success;
  },
};
