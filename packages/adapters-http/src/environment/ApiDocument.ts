import { Context } from "effect"

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = Readonly<Record<string, unknown>>

/** Gives the OpenAPI document of the routes served, always the same: made when it is first asked for. */
export class ApiDocument extends Context.Service<ApiDocument, () => OpenApiDocument>()(
  "@parley/adapters-http/environment/ApiDocument"
) {}
