import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { routes } from "../src/index.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

interface Operation {
  readonly summary: string
  readonly operationId: string
  readonly security?: ReadonlyArray<unknown>
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string; readonly required: boolean }>
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Record<string, unknown> }> }
  readonly responses: Record<string, { readonly description: string; readonly content?: Record<string, unknown> }>
}
interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Record<string, Record<string, Operation>>
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
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9_]*$/)
  })

  test("declares the parameters that its paths have", () => {
    for (const { path, operation } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      const declared = operation.parameters.filter((parameter) => parameter.in === "path")
      expect(declared.map((parameter) => parameter.name)).toEqual(inPath)
      expect(declared.every((parameter) => parameter.required)).toBe(true)
    }
  })

  test("gives every answer a description, and every failure problem details", () => {
    for (const { path, method, operation } of operations()) {
      const statuses = Object.keys(operation.responses)
      expect(statuses.some((status) => /^[23]/.test(status))).toBe(true)
      for (const [status, response] of Object.entries(operation.responses)) {
        expect({ path, method, status, described: response.description.length > 0 }).toMatchObject({ described: true })
        if (Number(status) >= 400) expect(Object.keys(response.content ?? {})).toEqual(["application/problem+json"])
      }
    }
  })

  test("tells the statuses of the chat route that its interface promises", () => {
    const chat = document.paths["/api/chat"]?.["post"]
    expect(Object.keys(chat?.responses ?? {})).toEqual(
      expect.arrayContaining(["200", "401", "402", "403", "404", "413", "422", "500"])
    )
    expect(chat?.security).toEqual([{ session: [] }, { bearer: [] }])
    expect(chat?.requestBody?.content["application/json"]?.schema).toMatchObject({
      type: "object",
      required: ["messages"]
    })
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
