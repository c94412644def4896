import { Context } from "effect"

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = Readonly<Record<string, unknown>>

/** The OpenAPI document of the routes served. */
export class ApiDocument extends Context.Service<ApiDocument, OpenApiDocument>()(
  "@parley/adapters-http/environment/ApiDocument"
) {}
