import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "vite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { cookieFor, startServer, type TestServer } from "../packages/adapters-http/test/support/startServer.ts"
import { ending, makeProject } from "./support/packedPackages.ts"

const TIMEOUT_MS = 600_000
const TOOLS = [
  "typescript@5.9.3",
  "openapi-typescript@7.13.0",
  "@hey-api/openapi-ts@0.95.0",
  "@redocly/openapi-core@2.64.0"
]

/** Prints what the linter finds. Some routes only redirect a browser, and the state of the server takes no input. */
const LINT = `
import { readFileSync } from "node:fs"
import { createConfig, lintFromString } from "@redocly/openapi-core"
const rules = { "operation-2xx-response": "off", "operation-4xx-response": "off" }
const config = await createConfig({ extends: ["recommended-strict"], rules })
const source = readFileSync("openapi.json", "utf8")
for (const { location, message } of await lintFromString({ source, absoluteRef: "/openapi.json", config })) {
  console.log(location[0]?.pointer, message)
}`

let folder: string
let project: string
let server: TestServer

/** Runs a program of the project. */
const run = async (program: string, ...args: ReadonlyArray<string>) => {
  const { exit, said } = await ending(process.execPath, [`node_modules/.bin/${program}`, ...args], project)
  expect([exit, said]).toEqual([0, expect.anything()])
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-generators-"))
  server = await startServer()
  project = await makeProject(folder, "generators", TOOLS)
  writeFileSync(join(project, "openapi.json"), await (await server.fetch("/openapi.json")).text())
}, TIMEOUT_MS)
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const compile = (...files: ReadonlyArray<string>) =>
  run(
    "tsc",
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "false",
    "--target",
    "es2022",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
    ...files
  )

describe("the OpenAPI document", () => {
  it("has nothing that a public linter finds wrong", async () => {
    writeFileSync(join(project, "lint.mjs"), LINT)
    expect(await ending(process.execPath, ["lint.mjs"], project)).toEqual({ exit: 0, said: "" })
  })

  it(
    "becomes types with openapi-typescript, by the names of the schemas",
    async () => {
      await run("openapi-typescript", "openapi.json", "-o", "types.ts")
      writeFileSync(
        join(project, "use.ts"),
        [
          'import type { components, operations } from "./types"',
          'const balance = (body: components["schemas"]["Balance"]): number => body.available',
          'const code: operations["sendMessage"]["responses"][402]["content"]["application/problem+json"]["code"] =',
          '  "insufficient_credits"',
          "void [balance, code]"
        ].join("\n")
      )
      await compile("use.ts")
      expect(readFileSync(join(project, "types.ts"), "utf8")).toContain("Rest of the credits of the tier")
    },
    TIMEOUT_MS
  )

  it(
    "becomes a client with @hey-api/openapi-ts, which calls ten routes of a server",
    async () => {
      await run("openapi-ts", "-i", "openapi.json", "-o", "hey")
      await compile("hey/index.ts")
      writeFileSync(join(project, "all.ts"), 'export * from "./hey"\nexport { client } from "./hey/client.gen"\n')
      await build({
        configFile: false,
        logLevel: "silent",
        root: project,
        build: {
          lib: { entry: join(project, "all.ts"), formats: ["es"], fileName: () => "all.mjs" },
          outDir: "bundled"
        }
      })
      const calls = (await import(pathToFileURL(join(project, "bundled/all.mjs")).href)) as GeneratedClient
      calls.client.setConfig({ baseUrl: server.url, headers: { cookie: await cookieFor("ann") } })
      const file = new File(["Storks return in March."], "storks.txt", { type: "text/plain" })
      const uploaded = await calls.uploadDocument({ body: { file } })
      const documentId = String(uploaded.data?.["documentId"])
      expect((await calls.getDocument({ path: { id: documentId } })).data).toMatchObject({ filename: "storks.txt" })
      const body = { messages: [{ role: "user", content: "Hello?" }] }
      const sent = await calls.sendMessage({ body, parseAs: "text" })
      expect(sent.data).toBe("Hello there.")
      const id = String(sent.response.headers.get("x-chat-id"))
      expect((await calls.listChats({ query: { limit: 1 } })).data).toMatchObject({ total: 1, limit: 1 })
      expect((await calls.updateChat({ path: { id }, body: { title: "Storks" } })).data).toMatchObject({
        title: "Storks"
      })
      expect((await calls.getChat({ path: { id } })).data).toMatchObject({
        id,
        messages: [{}, { content: "Hello there." }]
      })
      expect((await calls.getBalance()).data).toMatchObject({ held: 0, debt: 0 })
      expect((await calls.listTransactions({ query: { type: "usage" } })).data).toMatchObject({ total: 1 })
      const bot = await calls.createBot({ body: { displayName: "Shop" } })
      expect((await calls.getBot({ path: { id: String(bot.data?.["id"]) } })).data).toEqual(bot.data)
      expect((await calls.getMe()).data).toMatchObject({ userId: "ann" })
      expect((await calls.deleteChat({ path: { id } })).response.status).toBe(204)
      expect((await calls.getChat({ path: { id } })).error).toMatchObject({ code: "chat_not_found" })
    },
    TIMEOUT_MS
  )
})

type GeneratedCall = (options?: object) => Promise<{
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}>

type GeneratedWrite = (options: object) => Promise<{ readonly data?: Readonly<Record<string, unknown>> }>

/** The functions of the generated client, whose types the compiler of the project has checked. */
type GeneratedClient = Readonly<
  Record<
    | "deleteChat"
    | "getBalance"
    | "getBot"
    | "getChat"
    | "getDocument"
    | "getMe"
    | "listChats"
    | "listTransactions"
    | "updateChat"
    | "sendMessage",
    GeneratedCall
  >
> & {
  readonly client: { readonly setConfig: (config: object) => void }
  readonly createBot: GeneratedWrite
  readonly uploadDocument: GeneratedWrite
}
