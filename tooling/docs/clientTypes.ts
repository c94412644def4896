import { DEFAULT_SESSION_COOKIE, openApiDocument, routes } from "@parley/adapters-http"
import { problemTable } from "../../packages/adapters-http/src/problems/problemTable.ts"

/** The areas of the HTTP interface that `@parley/client` calls, each with the name of the file for its types. */
const AREAS: ReadonlyMap<string, string> = new Map([
  ["Chat", "chat"],
  ["Shared chats and ratings", "sharing"],
  ["Projects", "projects"],
  ["Person", "person"],
  ["Documents", "documents"],
  ["Bots", "bots"],
  ["Conversations", "conversations"],
  ["CRM connections", "crm"],
  ["Billing", "billing"],
  ["Operators", "operators"],
  ["Development", "development"]
])

/** The operations of a long area that get a separate file: reports on the service as a whole. */
const REPORTS = [
  "getServiceHealth",
  "getServiceReindexing",
  "estimateReindexing",
  "reindexService",
  "getMoneyReport",
  "listPayments",
  "getVerification"
]
const FILES = [...AREAS.values(), "reports"]

const fileOf = ({ operationId, tags }: Operation): string | undefined =>
  REPORTS.includes(operationId) ? "reports" : AREAS.get(tags[0] ?? "")

/**
 * Operations of these areas that programs do not call: a browser navigates there, or the payment provider calls them.
 */
const LEFT_OUT = ["getChatHealth", "connectCrm", "completeCrmConnection", "receivePaymentEvent"]

interface JsonSchema {
  readonly type?: string
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: JsonSchema | boolean
  readonly description?: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description?: string | undefined
  readonly schema: JsonSchema
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly description: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

const comment = (text: string | undefined, indent: string): string =>
  text === undefined ? "" : `${indent}/** ${text.replaceAll(/\s+/g, " ").replaceAll("*/", "*\\/")} */\n`

/** Converts a JSON schema to TypeScript. The names of schemas that it refers to are added to `used`. */
const typeOf = (schema: JsonSchema, indent: string, used: Set<string>): string => {
  const within = (part: JsonSchema) => typeOf(part, indent, used)
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? ""
    used.add(name)
    return name
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(within))].join(" | ")
  if (schema.properties !== undefined) return fieldsOf(schema, indent, used)
  if (schema.items !== undefined) return `ReadonlyArray<${within(schema.items)}>`
  if (typeof schema.additionalProperties === "object") {
    return `Readonly<Record<string, ${within(schema.additionalProperties)}>>`
  }
  const plain: Readonly<Record<string, string>> = { integer: "number", object: "Readonly<Record<string, unknown>>" }
  return schema.type === undefined ? "unknown" : (plain[schema.type] ?? schema.type)
}

const fieldsOf = ({ properties = {}, required = [] }: JsonSchema, indent: string, used: Set<string>): string => {
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) ? "" : "?"
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
    return `${comment(field.description, `${indent}  `)}${indent}  readonly ${key}${mark}: ${typeOf(field, `${indent}  `, used)}\n`
  })
  return `{\n${fields.join("")}${indent}}`
}

/** The schema of parameters. An optional parameter may also be undefined, and is left out then. */
const schemaOfParameters = (parameters: ReadonlyArray<Parameter>): JsonSchema => ({
  properties: Object.fromEntries(
    parameters.map(({ description, name, required, schema }) => [
      name,
      {
        ...(required ? schema : { anyOf: [schema, { type: "undefined" }] }),
        ...(description === undefined ? {} : { description })
      }
    ])
  ),
  required: parameters.filter(({ required }) => required).map(({ name }) => name)
})

const JSON_TYPE = "application/json"

/** The type of a successful response: the parsed body, nothing, or the response of `fetch` if it is streamed. */
const responseOf = ({ responses }: Operation, used: Set<string>): string => {
  const contents = Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([, { content }]) => content)
  const types = contents.map((content) => {
    const schema = content?.[JSON_TYPE]?.schema
    if (schema !== undefined) return typeOf(schema, "    ", used)
    return content === undefined ? "undefined" : "Response"
  })
  return [...new Set(types)].join(" | ")
}

const operationOf = (operation: Operation, used: Set<string>): string => {
  const { description, operationId, parameters, requestBody } = operation
  const ofPlace = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const placed = (["path", "query"] as const).flatMap((place) => {
    const found = ofPlace(place)
    const isOptional = found.every(({ required }) => !required)
    // The parameters of a path get no descriptions, because their names are clear.
    const shown = place === "path" ? found.map((part) => ({ ...part, description: undefined })) : found
    return found.length === 0
      ? []
      : [`    readonly ${place}${isOptional ? "?" : ""}: ${typeOf(schemaOfParameters(shown), "    ", used)}\n`]
  })
  const sent = requestBody?.content[JSON_TYPE]?.schema
  const body = sent === undefined ? [] : [`    readonly body: ${typeOf(sent, "    ", used)}\n`]
  const response = `    readonly response: ${responseOf(operation, used)}\n`
  return `${comment(description, "  ")}  readonly ${operationId}: {\n${[...placed, ...body].join("")}${response}  }\n`
}

const HEAD = `// Written by \`npm run docs:tables\` from the table of routes: change that.
`

interface Called {
  readonly operation: Operation
  /** The method and the path of the operation. */
  readonly name: string
}

interface Area {
  readonly file: string
  readonly operations: string
  /** The schemas that the operations refer to, directly or through other schemas. */
  readonly schemas: ReadonlyMap<string, NamedType>
  /** The names of the schemas that the operations refer to directly. */
  readonly named: ReadonlySet<string>
}

/** The TypeScript of a named schema, and the names of the schemas in it. */
interface NamedType {
  readonly text: string
  readonly named: ReadonlySet<string>
}

type Schemas = Readonly<Record<string, JsonSchema>>

const areaOf = (file: string, called: ReadonlyArray<Called>, schemas: Schemas): Area => {
  const named = new Set<string>()
  const operations = called.map(({ operation }) => operationOf(operation, named)).join("")
  const found = new Map<string, NamedType>()
  const all = new Set(named)
  // The loop also reaches the names that are added to the set meanwhile.
  for (const name of all) {
    const schema = schemas[name] ?? {}
    const parts = new Set<string>()
    const text = `${comment(schema.description, "")}export interface ${name} ${typeOf(schema, "", parts)}\n`
    found.set(name, { text, named: parts })
    for (const part of parts) all.add(part)
  }
  return { file, operations, named, schemas: found }
}

const typeTexts = (schemas: ReadonlyMap<string, NamedType>): ReadonlyArray<string> =>
  [...schemas].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, { text }]) => text)

const operationsName = (file: string): string => `${file[0]?.toUpperCase()}${file.slice(1)}Operations`

/** The text of the file of an area: the schemas that only this area uses, and its operations. */
const areaText = ({ file, named, operations, schemas }: Area, shared: ReadonlyMap<string, NamedType>): string => {
  const own = new Map([...schemas].filter(([name]) => !shared.has(name)))
  const imported = [...new Set([...named, ...[...own.values()].flatMap((type) => [...type.named])])]
    .filter((name) => shared.has(name))
    .toSorted()
  const imports = imported.length === 0 ? [] : [`import type { ${imported.join(", ")} } from "./shared.ts"\n`]
  const interfaceText = `/** The operations of this area, by their ids. */\nexport interface ${operationsName(file)} {\n${operations}}\n`
  return [HEAD, ...imports, ...typeTexts(own), interfaceText].join("\n")
}

/** The text of the file that joins the areas, with the addresses of all operations and the codes of failures. */
const wholeText = (files: ReadonlyArray<string>, called: ReadonlyArray<Called>): string => {
  const addresses = called.map(({ name, operation }) => `  ${operation.operationId}: ${JSON.stringify(name)}`)
  const codes = Object.keys(problemTable).toSorted()
  return [
    HEAD,
    files.map((file) => `import type { ${operationsName(file)} } from "./api/${file}.ts"\n`).join(""),
    [...files, "shared"].map((file) => `export type * from "./api/${file}.ts"\n`).join(""),
    `/** The operations of the HTTP interface, by their ids. */\nexport interface Operations extends ${files.map(operationsName).join(", ")} {}\n`,
    `/** The method and the path of each operation. */\nexport const operations: { readonly [Id in keyof Operations]: string } = {\n${addresses.join(",\n")}\n}\n`,
    `/** The codes of failures, as the server sends them. */\nexport type ServerErrorCode =\n${codes.map((code) => `  | ${JSON.stringify(code)}\n`).join("")}`
  ].join("\n")
}

/** The sources of `@parley/client` with the types of the HTTP interface, by their paths in `src`. */
export const clientTypes = (): ReadonlyMap<string, string> => {
  const document = openApiDocument({ routes, version: "", cookieName: DEFAULT_SESSION_COOKIE })
  const paths = document["paths"] as Readonly<Record<string, Readonly<Record<string, Operation>>>>
  const { schemas } = document["components"] as { readonly schemas: Schemas }
  const called = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => fileOf(operation) !== undefined && !LEFT_OUT.includes(operation.operationId))
      .map(([method, operation]): Called => ({ operation, name: `${method.toUpperCase()} ${path}` }))
  )
  const areas = FILES.map((file) =>
    areaOf(
      file,
      called.filter(({ operation }) => fileOf(operation) === file),
      schemas
    )
  )
  const shared = new Map(
    areas
      .flatMap((area) => [...area.schemas])
      .filter(([name]) => areas.filter((area) => area.schemas.has(name)).length > 1)
  )
  return new Map([
    ["api.ts", wholeText(FILES, called)],
    ["api/shared.ts", [HEAD, ...typeTexts(shared)].join("\n")],
    ...areas.map((area): [string, string] => [`api/${area.file}.ts`, areaText(area, shared)])
  ])
}
