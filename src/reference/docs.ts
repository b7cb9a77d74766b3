import "./strict-policy.ts";
import { createApiReference } from "@scalar/api-reference";

/** The reference, made from the document that this server serves, with requests to try against this server. */
createApiReference("#reference", {
  url: "/v1/openapi.json",
  servers: [{ url: `${location.origin}/v1` }],
  // Nothing comes from, and nothing goes to, any other place.
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: "bearerAuth" },
  persistAuth: false,
});
