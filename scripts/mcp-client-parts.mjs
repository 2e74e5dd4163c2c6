// What the MCP client takes from `@modelcontextprotocol/client/_shims`, for our bundles: without a second Ajv, as src/plugins/mcp gives
// it a validator of its own.
export const CORS_IS_POSSIBLE = false;

export class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error("There is no other validator in this bundle.");
  }
}
