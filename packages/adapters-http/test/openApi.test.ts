import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { routes } from "../src/index.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

interface JsonSchema {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
}
interface Answer {
  readonly $ref?: string
  readonly description: string
  readonly content?: Record<string, { readonly schema: { readonly allOf: ReadonlyArray<unknown> } }>
}
interface Operation {
  readonly summary: string
  readonly description: string
  readonly tags: ReadonlyArray<string>
  readonly operationId: string
  readonly security?: ReadonlyArray<unknown>
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly description: string
  }>
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Record<string, unknown> }> }
  readonly responses: Record<string, Answer>
}
interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Record<string, JsonSchema>
    readonly responses: Record<string, Answer>
  }
}

let server: TestServer
let document: Document
beforeAll(async () => {
  server = await startServer({ app: { version: "1.2.3" } })
  document = (await (await server.fetch("/openapi.json")).json()) as Document
})
afterAll(() => server.close())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation }))
  )

const answerOf = (answer: Answer): Answer =>
  answer.$ref === undefined ? answer : (document.components.responses[answer.$ref.split("/").at(-1) ?? ""] as Answer)

/** Every property of a schema and of its parts, with the path to it. */
const propertiesOf = (schema: unknown, at: string): ReadonlyArray<{ at: string; property: JsonSchema }> => {
  if (typeof schema !== "object" || schema === null) return []
  const own = Object.entries((schema as JsonSchema).properties ?? {}).map(([name, property]) => ({
    at: `${at}.${name}`,
    property
  }))
  return [...own, ...Object.entries(schema).flatMap(([key, part]) => propertiesOf(part, `${at}/${key}`))]
}

describe("the OpenAPI document", () => {
  test("has the head that OpenAPI 3.1 asks for", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: "Parley", version: "1.2.3" })
  })

  test("has every route of the table and no other", () => {
    const told = operations().map(({ method, path }) => `${method} ${path}`)
    expect(told.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted())
  })

  test("names operations uniquely", () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/)
    expect(ids).toEqual(expect.arrayContaining(["sendMessage", "deleteConversation", "getBalance", "reserveCredits"]))
  })

  test("lists each operation under a described tag", () => {
    const tags = document.tags.map(({ name }) => name)
    expect(document.tags.every(({ description }) => description !== "")).toBe(true)
    expect([...new Set(operations().flatMap(({ operation }) => operation.tags))].toSorted()).toEqual(tags.toSorted())
  })

  test("describes every operation, parameter and property", () => {
    const undescribed = [
      ...operations().flatMap(({ method, operation, path }) => [
        ...(operation.description.length > operation.summary.length ? [] : [`${method} ${path}`]),
        ...operation.parameters
          .filter((parameter) => parameter.description === "")
          .map(({ name }) => `${method} ${path} ${name}`)
      ]),
      ...propertiesOf(document, "#")
        .filter(({ property }) => property.$ref === undefined && (property.description ?? "") === "")
        .map(({ at }) => at)
    ]
    expect(undescribed).toEqual([])
  })

  test("names the schemas of bodies, so that generated types have names", () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([
        "Document",
        "Transaction",
        "Chat",
        "Message",
        "Source",
        "Receipt",
        "Balance",
        "Problem",
        "Bot",
        "Plan"
      ])
    )
    const unnamed = operations().flatMap(({ method, operation, path }) =>
      Object.values(operation.responses)
        .flatMap((answer) => Object.entries(answerOf(answer).content ?? {}))
        .filter(([type, { schema }]) => type === "application/json" && !("$ref" in schema) && path !== "/openapi.json")
        .map(() => `${method} ${path}`)
    )
    expect(unnamed).toEqual([])
  })

  test("names the codes of each failure", () => {
    const unpaid = document.paths["/api/chat"]?.["post"]?.responses["402"] as Answer
    expect(answerOf(unpaid).content?.["application/problem+json"]?.schema.allOf).toMatchObject([
      { $ref: "#/components/schemas/Problem" },
      { properties: { code: { enum: ["insufficient_credits"] } } }
    ])
  })

  test("names the proof that each kind of caller sends", () => {
    const { securitySchemes } = document.components as unknown as { readonly securitySchemes: unknown }
    expect(securitySchemes).toMatchObject({
      session: { type: "apiKey", in: "cookie", name: "parley_session" },
      bearer: { type: "http", scheme: "bearer" },
      key: { type: "http", scheme: "bearer" },
      cron: { type: "http", scheme: "bearer" },
      "payment-signature": { type: "apiKey", in: "header", name: "payment-signature" }
    })
    expect(document.paths["/v1/credits/reserve"]?.["post"]?.security).toEqual([{ key: ["credits:hold"] }])
    expect(document.paths["/api/widget/chat"]?.["post"]?.security).toEqual([])
  })

  test("declares the parameters that its paths have", () => {
    for (const { path, operation } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      const declared = operation.parameters.filter((parameter) => parameter.in === "path")
      expect(declared.map((parameter) => parameter.name)).toEqual(inPath)
      expect(declared.every((parameter) => parameter.required)).toBe(true)
    }
  })

  test("gives every answer a description, and every failure problem details or the form of its protocol", () => {
    for (const { path, method, operation } of operations()) {
      const isOpenAi = ["/v1/chat/completions", "/v1/models"].includes(path)
      const failure = isOpenAi ? "application/json" : "application/problem+json"
      const statuses = Object.keys(operation.responses)
      expect(statuses.some((status) => /^[23]/.test(status))).toBe(true)
      for (const [status, answer] of Object.entries(operation.responses)) {
        const response = answerOf(answer)
        expect({ path, method, status, described: response.description.length > 0 }).toMatchObject({ described: true })
        if (Number(status) >= 400) expect(Object.keys(response.content ?? {})).toEqual([failure])
      }
    }
  })

  test("tells the statuses of the chat route that its interface promises", () => {
    const chat = document.paths["/api/chat"]?.["post"]
    expect(Object.keys(chat?.responses ?? {})).toEqual(
      expect.arrayContaining(["200", "401", "402", "403", "404", "413", "422", "500"])
    )
    expect(chat?.security).toEqual([{ session: [] }, { bearer: [] }])
    expect(chat?.requestBody?.content["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/ChatRequest"
    })
    expect(document.components.schemas["ChatRequest"]).toMatchObject({ type: "object", required: ["messages"] })
  })

  test("refers to nothing that it does not contain", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? "")
    expect(references.length).toBeGreaterThan(0)
    for (const reference of references) {
      const found = reference
        .replace(/^#\//, "")
        .split("/")
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document)
      expect({ reference, found: found !== undefined }).toEqual({ reference, found: true })
    }
  })
})
