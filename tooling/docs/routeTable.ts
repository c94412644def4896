import { DEFAULT_SESSION_COOKIE, openApiDocument, routes } from "@parley/adapters-http"
import { cell, code, generatedPage, table } from "./markdown.ts"

interface JsonSchema {
  readonly type?: string | ReadonlyArray<string>
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema | false
  readonly prefixItems?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: JsonSchema | boolean
  readonly description?: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description: string
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

interface Answer {
  readonly $ref?: string
  readonly description: string
  readonly content?: Content
}

interface Operation {
  readonly tags: ReadonlyArray<string>
  readonly description: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly description: string; readonly content: Content }
  readonly responses: Readonly<Record<string, Answer>>
}

const document = openApiDocument({ routes, version: "", cookieName: DEFAULT_SESSION_COOKIE })
const paths = document.paths as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>
const components = document.components as {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly responses: Readonly<Record<string, Answer>>
}

const answerOf = (answer: Answer): Answer => components.responses[answer.$ref?.split("/").at(-1) ?? ""] ?? answer

const union = (parts: ReadonlyArray<string>): string => [...new Set(parts)].join(" | ")

/**
 * Formats a schema as a type for people. `seen` contains the names of the schemas around it, to end recursive
 * references.
 */
const shown = (schema: JsonSchema, indent: string, seen: ReadonlyArray<string>): string => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? ""
    const target = components.schemas[name]
    return target === undefined || seen.includes(name) ? name : shown(target, indent, [...seen, name])
  }
  const within = (part: JsonSchema) => shown(part, indent, seen)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)))
  const parts = schema.anyOf ?? schema.oneOf
  if (parts !== undefined) return union(parts.map(within))
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).map(([name, field]) => {
      const optional = schema.required?.includes(name) === true ? "" : "?"
      const says = field.description === undefined ? "" : ` // ${field.description.replaceAll(/\s+/g, " ")}`
      return `${indent}  ${name}${optional}: ${shown(field, `${indent}  `, seen)}${says}`
    })
    return fields.length === 0 ? "{}" : `{\n${fields.join("\n")}\n${indent}}`
  }
  if (schema.items !== undefined && schema.items !== false) {
    const each = within(schema.items)
    return each.includes(" | ") && !each.startsWith("{") ? `(${each})[]` : `${each}[]`
  }
  if (typeof schema.additionalProperties === "object") return `{ [name]: ${within(schema.additionalProperties)} }`
  if (schema.allOf !== undefined && schema.type === undefined) return union(schema.allOf.map(within))
  return typeof schema.type === "string" ? schema.type : union([...(schema.type ?? ["anything"])])
}

const body = (content: Content | undefined): ReadonlyArray<string> =>
  Object.entries(content ?? {}).flatMap(([contentType, { schema }]) =>
    contentType === "application/problem+json" ? [] : [`${contentType}\n${shown(schema, "", [])}`]
  )

const block = (text: string): string => `\`\`\`text\n${text}\n\`\`\``

const section = (
  method: string,
  path: string,
  { description, parameters, requestBody, responses }: Operation
): string => {
  const statuses = Object.entries(responses).map(([status, answer]) => [status, answerOf(answer)] as const)
  const successes = statuses.filter(([status]) => Number(status) < 400)
  const failures = statuses.filter(([status]) => Number(status) >= 400)
  return [
    `### ${method.toUpperCase()} ${path}`,
    cell(description),
    ...(parameters.length === 0
      ? []
      : [
          table(
            ["parameter", "in", "what it says"],
            parameters.map((each) => [code(each.name), each.in, cell(each.description)])
          )
        ]),
    ...(requestBody === undefined
      ? []
      : [`Takes: ${cell(requestBody.description)}`, ...body(requestBody.content).map(block)]),
    ...successes.flatMap(([status, { content, description }]) => [
      `**${status}** ${cell(description)}`,
      ...body(content)
        .filter((text) => text.includes("\n{") || text.includes("\n("))
        .map(block)
    ]),
    table(
      ["fails with", "code"],
      failures.map(([status, { description }]) => [
        status,
        [...description.matchAll(/`(\w+)`:/g)].map(([, name = ""]) => code(name)).join(" ")
      ])
    )
  ].join("\n\n")
}

/** The page of all routes, made from the same table from which the server answers. */
export const routesPage = (): string => {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  )
  const groups = Map.groupBy(operations, ({ operation: { tags } }) => tags[0] ?? "")
  return generatedPage("HTTP interface", [
    "On this page you find every route of the server; `GET /openapi.json` of a running server returns the same as an OpenAPI 3.1 document. Signed-in people are recognised by cookie, bearer token or the host's own sign-in; a service key comes from `parley keys create`. Fields with `?` are optional. Names of fields are in camelCase; a credit transaction and its receipt are in snake_case throughout, because clients filter by `transaction_type`, and one record has one style. `/v1/chat/completions` and `/v1/models` have the names of OpenAI's protocol. The codes are explained in [errors](errors.md).",
    ...[...groups].flatMap(([title, members]) => [
      `## ${title}`,
      ...members.map(({ method, operation, path }) => section(method, path, operation))
    ])
  ])
}
