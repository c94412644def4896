import { Context } from "effect"

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = Readonly<Record<string, unknown>>

/** Returns the OpenAPI document of the served routes, created on first use. */
export class ApiDocument extends Context.Service<ApiDocument, () => OpenApiDocument>()(
  "@parley/adapters-http/environment/ApiDocument"
) {}
