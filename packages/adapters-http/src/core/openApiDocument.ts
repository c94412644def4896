import { Schema } from "effect"
import type { SecurityScheme } from "../access/Access.ts"
import type { RouteBody } from "../body/RouteBody.ts"
import type { OpenApiDocument } from "../server/Server.ts"
import { PROBLEM_CONTENT_TYPE, Problem } from "../problems/Problem.ts"
import { type ErrorCode, problemTable } from "../problems/problemTable.ts"
import type { Parameters } from "../routes/parameters.ts"
import type { Route, RouteResponse } from "../routes/Route.ts"

type JsonObject = Readonly<Record<string, unknown>>

export interface OpenApiInput {
  readonly routes: ReadonlyArray<Route>
  readonly version: string
  readonly cookieName: string
  /** True if the host has its own sign-in, which the document cannot describe. */
  readonly isOwnSignIn?: boolean | undefined
  /** Tokens of sessions count as bearer tokens, too. */
  readonly bearerTokens?: boolean | undefined
}

/** Every code a route can answer with: its own, its body's, and those of its access. */
export const errorsOf = (route: Route): ReadonlyArray<ErrorCode> => {
  const named = [route.pathParameters, route.queryParameters, route.headerParameters].flatMap(Object.keys)
  const input: ReadonlyArray<ErrorCode> = named.length > 0 ? ["invalid_request"] : []
  return [
    ...new Set([
      ...route.access.errors(route.method),
      ...input,
      ...(route.body?.errors ?? []),
      ...route.errors,
      "internal_error" as const
    ])
  ]
}

/** The routes as an OpenAPI 3.1 document. The server's address, with its prefix, is added for each request. */
export const openApiDocument = (input: OpenApiInput): OpenApiDocument => {
  const { routes, version } = input
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, input) }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Parley", version, summary: "Streamed chat over your own documents, metered in credits." },
    paths,
    components: {
      schemas: { Problem: jsonSchemaOf(Problem) },
      securitySchemes: Object.fromEntries(routes.flatMap((route) => schemesOf(route, input)))
    }
  }
}

/** The ways, each of which will do, to prove oneself to a route. */
const schemesOf = (
  { access: { isPerson, name, scheme } }: Route,
  { bearerTokens = true, cookieName, isOwnSignIn = false }: OpenApiInput
): ReadonlyArray<readonly [string, SecurityScheme]> => {
  if (scheme === undefined || (isPerson === true && isOwnSignIn)) return []
  const bearer = [["bearer", { type: "http", scheme: "bearer" }]] as const
  return [[name, scheme(cookieName)], ...(isPerson === true && bearerTokens ? bearer : [])]
}

const securityOf = (route: Route, input: OpenApiInput): JsonObject => {
  const schemes = schemesOf(route, input)
  const { scope } = route.access
  const scopes = scope === undefined ? [] : [scope]
  return schemes.length === 0 ? {} : { security: schemes.map(([name]) => ({ [name]: scopes })) }
}

const operationOf = (route: Route, input: OpenApiInput): JsonObject => ({
  summary: route.summary,
  operationId: operationIdOf(route),
  ...securityOf(route, input),
  parameters: [
    ...parametersOf(route.pathParameters, "path"),
    ...parametersOf(route.queryParameters, "query"),
    ...parametersOf(route.headerParameters, "header")
  ],
  ...(route.body === undefined ? {} : { requestBody: requestBodyOf(route.body) }),
  responses: { ...successesOf(route.responses), ...failuresOf(errorsOf(route)) }
})

const operationIdOf = ({ method, path }: Route): string =>
  [method.toLowerCase(), ...path.split(/[^A-Za-z0-9]+/).filter((word) => word !== "" && word !== "api")].join("_")

const parametersOf = (parameters: Parameters, place: "path" | "query" | "header"): ReadonlyArray<JsonObject> =>
  Object.entries(parameters).map(([name, { description, jsonSchema }]) => ({
    name,
    in: place,
    required: place === "path",
    description,
    schema: jsonSchema
  }))

const requestBodyOf = (body: RouteBody<unknown, ErrorCode>): JsonObject => ({
  required: true,
  description: body.description,
  content: { [body.contentType]: { schema: jsonSchemaOf(body.schema) } }
})

const successesOf = (responses: Readonly<Record<number, RouteResponse>>): JsonObject =>
  Object.fromEntries(Object.entries(responses).map(([status, response]) => [status, successOf(response)]))

/** Bodies that are not JSON; bytes have no schema (OpenAPI 3.1, 4.8.14.3). */
const bodySchemas = {
  "text/plain": { type: "string" },
  "text/html": { type: "string" },
  "text/javascript": { type: "string" },
  "text/csv": { type: "string" },
  "application/jsonl": { type: "string" },
  "application/octet-stream": {}
}

const successOf = ({ description, schema, contentType, headers }: RouteResponse): JsonObject => ({
  description,
  ...(headers === undefined
    ? {}
    : {
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, says]) => [name, { description: says, schema: { type: "string" } }])
        )
      }),
  ...(schema === undefined ? {} : { content: { "application/json": { schema: jsonSchemaOf(schema) } } }),
  ...(contentType === undefined ? {} : { content: { [contentType]: { schema: bodySchemas[contentType] } } })
})

const mayRetryAfter = (code: ErrorCode): boolean => "mayRetryAfter" in problemTable[code]

const retryAfterHeader = {
  description: "Seconds to wait before the request is sent again, if they are known.",
  schema: { type: "integer" }
}

const failuresOf = (codes: ReadonlyArray<ErrorCode>): JsonObject => {
  const byStatus = Map.groupBy(codes, (code) => problemTable[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      String(status),
      {
        description: ofStatus.map((code) => `\`${code}\`: ${problemTable[code].title}.`).join(" "),
        ...(ofStatus.some(mayRetryAfter) ? { headers: { "Retry-After": retryAfterHeader } } : {}),
        content: { [PROBLEM_CONTENT_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } } }
      }
    ])
  )
}

const jsonSchemaOf = (schema: Schema.Top): unknown => {
  const { schema: root, definitions } = Schema.toJsonSchemaDocument(schema)
  return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }
}
