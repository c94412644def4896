import { Result, Schema } from "effect"
import type { SecurityScheme } from "../access/Access.ts"
import type { RouteBody } from "../body/RouteBody.ts"
import type { OpenApiDocument } from "../server/Server.ts"
import { type FailureForm, problemDetails } from "../problems/FailureForm.ts"
import { type ErrorCode, problemTable } from "../problems/problemTable.ts"
import type { Parameters } from "../routes/parameters.ts"
import type { Route, RouteResponse } from "../routes/Route.ts"
import { areas } from "../routes/routes.ts"

type JsonObject = Readonly<Record<string, unknown>>

export interface OpenApiInput {
  readonly routes: ReadonlyArray<Route>
  readonly version: string
  readonly cookieName: string
  /** True if the host uses its own sign-in, which OpenAPI cannot describe. */
  readonly isOwnSignIn?: boolean | undefined
  /** True if clients may also send the session's token as a bearer token. */
  readonly bearerTokens?: boolean | undefined
}

/** Returns every code with which a route can answer: its own codes and those of its body and its access. */
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

/** Describes the routes as an OpenAPI 3.1 document. The server's address with its prefix is added for each request. */
export const openApiDocument = (input: OpenApiInput): OpenApiDocument => {
  const { routes, version } = input
  const schemas = new NamedSchemas()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, input, schemas) }
  }
  const used = new Set(routes.map(({ operation }) => operation?.area))
  return {
    openapi: "3.1.0",
    info: {
      title: "Parley",
      version,
      summary: "Streamed chat over your own documents, metered in credits.",
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" }
    },
    servers: [{ url: "/" }],
    tags: areas.filter(({ name }) => used.has(name)).map(({ description, name }) => ({ name, description })),
    paths,
    components: {
      responses: allFailures(routes, schemas),
      schemas: schemas.all(),
      securitySchemes: Object.fromEntries(routes.flatMap((route) => schemesOf(route, input)))
    }
  }
}

const DESCRIPTION = [
  "Every failure is a problem (RFC 9457) whose `code` names its kind; the meaning of a code never changes.",
  "Unknown fields of requests are ignored. Credits are whole numbers, and times are ISO 8601 in UTC."
].join(" ")

/** Collects the named schemas, because the document lists each of them once. */
class NamedSchemas {
  readonly #found = new Map<string, string>()

  /** Returns the JSON schema, with references in the place of named schemas. */
  of(schema: Schema.Top): unknown {
    const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema)
    for (const [name, definition] of Object.entries(definitions)) this.#add(name, readable(definition))
    return readable(root)
  }

  all(): JsonObject {
    const names = [...this.#found.keys()].toSorted()
    return Object.fromEntries(names.map((name) => [name, JSON.parse(this.#found.get(name) ?? "") as unknown]))
  }

  #add(name: string, definition: unknown) {
    const text = JSON.stringify(definition)
    if ((this.#found.get(name) ?? text) !== text) throw new Error(`Two schemas have the name ${name}.`)
    this.#found.set(name, text)
  }
}

/** Rewrites references to OpenAPI's form, and removes bounds that only state JavaScript's range of whole numbers. */
const readable = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === "$ref") return String(value).replace("#/$defs/", "#/components/schemas/")
    if (key === "minimum" && value === Number.MIN_SAFE_INTEGER) return undefined
    if (key === "maximum" && value === Number.MAX_SAFE_INTEGER) return undefined
    return value
  })

/** The security schemes of a route; a caller needs only one of them. */
const schemesOf = (
  { access: { isPerson, name, scheme } }: Route,
  { bearerTokens = true, cookieName, isOwnSignIn = false }: OpenApiInput
): ReadonlyArray<readonly [string, SecurityScheme]> => {
  if (scheme === undefined || (isPerson === true && isOwnSignIn)) return []
  return [
    [isPerson === true ? "session" : name, scheme(cookieName)],
    ...(isPerson === true && bearerTokens ? [BEARER] : [])
  ]
}

const BEARER = [
  "bearer",
  { type: "http", scheme: "bearer", description: "The token of a person's session, for clients without cookies." }
] as const satisfies readonly [string, SecurityScheme]

const securityOf = (route: Route, input: OpenApiInput): JsonObject => {
  const schemes = schemesOf(route, input)
  const { scope } = route.access
  const scopes = scope === undefined ? [] : [scope]
  return { security: schemes.map(([name]) => ({ [name]: scopes })) }
}

const operationOf = (route: Route, input: OpenApiInput, schemas: NamedSchemas): JsonObject => ({
  ...(route.operation === undefined ? {} : { operationId: route.operation.id, tags: [route.operation.area] }),
  summary: route.summary,
  description: [`${route.summary}.`, route.details, route.access.description].filter(Boolean).join(" "),
  ...securityOf(route, input),
  parameters: [
    ...parametersOf(route.pathParameters, "path"),
    ...parametersOf(route.queryParameters, "query"),
    ...parametersOf(route.headerParameters, "header")
  ],
  ...(route.body === undefined ? {} : { requestBody: requestBodyOf(route.body, schemas) }),
  responses: { ...successesOf(route.responses, schemas), ...failuresOf(route) }
})

const parametersOf = (parameters: Parameters, place: "path" | "query" | "header"): ReadonlyArray<JsonObject> =>
  Object.entries(parameters).map(([name, { decode, description, jsonSchema }]) => ({
    name,
    in: place,
    required: place === "path" || Result.isFailure(decode(undefined)),
    description,
    schema: jsonSchema
  }))

const requestBodyOf = (body: RouteBody<unknown, ErrorCode>, schemas: NamedSchemas): JsonObject => ({
  required: true,
  description: body.description,
  content: {
    [body.contentType]: {
      schema: schemas.of(body.schema),
      ...(body.example === undefined ? {} : { example: body.example })
    }
  }
})

const successesOf = (responses: Readonly<Record<number, RouteResponse>>, schemas: NamedSchemas): JsonObject =>
  Object.fromEntries(Object.entries(responses).map(([status, response]) => [status, successOf(response, schemas)]))

/** The schemas of bodies that are not JSON. A body of bytes has no schema (OpenAPI 3.1, 4.8.14.3). */
const bodySchemas = {
  "text/plain": { type: "string" },
  "text/event-stream": { type: "string" },
  "text/html": { type: "string" },
  "text/javascript": { type: "string" },
  "text/csv": { type: "string" },
  "application/jsonl": { type: "string" },
  "application/octet-stream": {}
}

const successOf = (
  { contentType, description, headers, schema }: RouteResponse,
  schemas: NamedSchemas
): JsonObject => ({
  description,
  ...(headers === undefined
    ? {}
    : {
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, says]) => [name, { description: says, schema: { type: "string" } }])
        )
      }),
  ...(schema === undefined && contentType === undefined
    ? {}
    : {
        content: {
          ...(schema === undefined ? {} : { "application/json": { schema: schemas.of(schema) } }),
          ...Object.fromEntries([contentType ?? []].flat().map((type) => [type, { schema: bodySchemas[type] }]))
        }
      })
})

const mayRetryAfter = (code: ErrorCode): boolean => "mayRetryAfter" in problemTable[code]

const retryAfterHeader = {
  description: "Seconds to wait before the request is sent again, if they are known.",
  schema: { type: "integer" }
}

/** The name under which the document lists the response for these codes of one status and form. */
const failureName = (codes: ReadonlyArray<ErrorCode>, form: FailureForm): string =>
  form === problemDetails ? codes.join(".") : ["OpenAI", ...codes].join(".")

/** The failures of a route by status, as references, because most routes share most of them. */
const failuresOf = (route: Route): JsonObject => {
  const { failures = problemDetails } = route
  return Object.fromEntries(
    [...byStatus(errorsOf(route))].map(([status, ofStatus]) => [
      String(status),
      { $ref: `#/components/responses/${failureName(ofStatus, failures)}` }
    ])
  )
}

const byStatus = (codes: ReadonlyArray<ErrorCode>) => Map.groupBy(codes, (code) => problemTable[code].status)

const allFailures = (routes: ReadonlyArray<Route>, schemas: NamedSchemas): JsonObject =>
  Object.fromEntries(
    routes
      .flatMap((route) =>
        [...byStatus(errorsOf(route)).values()].map((ofStatus) => [ofStatus, route.failures ?? problemDetails] as const)
      )
      .map(([ofStatus, form]) => [
        failureName(ofStatus, form),
        {
          description: ofStatus.map((code) => `\`${code}\`: ${problemTable[code].title}.`).join(" "),
          ...(ofStatus.some(mayRetryAfter) ? { headers: { "Retry-After": retryAfterHeader } } : {}),
          content: { [mediaTypeOf(form)]: { schema: failureSchema(ofStatus, form, schemas) } }
        }
      ])
  )

/** The content type of failures without its parameters. */
const mediaTypeOf = ({ contentType }: FailureForm): string => contentType.split(";")[0] ?? contentType

const failureSchema = (codes: ReadonlyArray<ErrorCode>, form: FailureForm, schemas: NamedSchemas): unknown =>
  form === problemDetails ? { allOf: [schemas.of(form.schema), oneOfCodes(codes)] } : schemas.of(form.schema)

const oneOfCodes = (codes: ReadonlyArray<ErrorCode>): JsonObject => ({
  type: "object",
  properties: { code: { type: "string", enum: codes, description: "The codes of this response." } }
})
