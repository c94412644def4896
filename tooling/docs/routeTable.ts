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
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly description?: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description: string
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

interface Operation {
  readonly summary: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly description: string; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

const document = openApiDocument({ routes, version: "", cookieName: DEFAULT_SESSION_COOKIE })
const paths = document.paths as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>

const union = (parts: ReadonlyArray<string>): string => [...new Set(parts)].join(" | ")

/** A schema as people write types; `seen` ends recursive references. */
const shown = (schema: JsonSchema, defs: JsonSchema["$defs"], indent: string, seen: ReadonlyArray<string>): string => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? ""
    const target = defs?.[name]
    return target === undefined || seen.includes(name) ? name : shown(target, defs, indent, [...seen, name])
  }
  const within = (part: JsonSchema) => shown(part, defs, indent, seen)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)))
  const parts = schema.anyOf ?? schema.oneOf
  if (parts !== undefined) return union(parts.map(within))
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).map(([name, field]) => {
      const optional = schema.required?.includes(name) === true ? "" : "?"
      const says = field.description === undefined ? "" : ` // ${field.description.replaceAll(/\s+/g, " ")}`
      return `${indent}  ${name}${optional}: ${shown(field, defs, `${indent}  `, seen)}${says}`
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
    contentType === "application/problem+json" ? [] : [`${contentType}\n${shown(schema, schema.$defs, "", [])}`]
  )

const block = (text: string): string => `\`\`\`text\n${text}\n\`\`\``

const section = (method: string, path: string, { parameters, requestBody, responses, summary }: Operation): string => {
  const access = routes.find((route) => route.path === path && route.method === method.toUpperCase())?.access
  const statuses = Object.entries(responses)
  const successes = statuses.filter(([status]) => Number(status) < 400)
  const failures = statuses.filter(([status]) => Number(status) >= 400)
  return [
    `### ${method.toUpperCase()} ${path}`,
    `${summary}. Access: ${access?.name ?? "public"}${access?.scope === undefined ? "" : `, scope \`${access.scope}\``}.`,
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

const titles: Readonly<Record<string, string>> = {
  chat: "Chat",
  chats: "Chats",
  models: "Models",
  me: "Who is signed in",
  session: "Who is signed in",
  "sign-out": "Signing out",
  upload: "Uploads",
  rag: "Reading documents",
  documents: "Documents",
  bots: "Bots",
  crm: "CRM connections",
  widget: "Visitors of bots",
  billing: "Billing",
  usage: "Usage",
  webhooks: "Webhooks",
  cron: "Schedules"
}

/** The area of a path by its first word, if that is not `api`. */
const areas: Readonly<Record<string, string>> = { dev: "Development", v1: "Services with a key" }

const groupOf = (path: string): string => {
  const [first = "", second = ""] = path.split("/").slice(1)
  if (first === "api") return titles[second] ?? second
  return areas[first] ?? "The server, and what browsers load"
}

/** The page of all routes, of the same table that the server answers from. */
export const routesPage = (): string => {
  const groups = Map.groupBy(Object.entries(paths), ([path]) => groupOf(path))
  return generatedPage("HTTP interface", [
    "On this page you find every route of the server; `GET /openapi.json` of a running server returns the same as an OpenAPI 3.1 document. Access names the allowed callers: `session` a signed-in person, by cookie, bearer token or the host's own sign-in; `key` a back end with a service key (`parley keys create`) that has the named scope; `visitor` any client, for the bot of a public key; `payment` the payment provider, by its signature; `cron` a schedule, by its secret; `development` this machine only; `public` any client. Fields with `?` are optional. The codes are explained in [errors](errors.md).",
    ...[...groups].flatMap(([title, members]) => [
      `## ${title}`,
      ...members.flatMap(([path, operations]) =>
        Object.entries(operations).map(([method, operation]) => section(method, path, operation))
      )
    ])
  ])
}
