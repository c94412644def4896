import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freshPostgres, hasPostgres } from "../packages/adapters-db/test/databases.ts"
import { copiesOf, ending, makeProject, packAll, readJson } from "./support/packedPackages.ts"

const TIMEOUT_MS = 1_800_000
const NEIGHBOURS = [
  ...["express@4", "effect@3", "openai@6", "@anthropic-ai/sdk@0.60", "stripe@18", "pg@8.11", "nodemailer@7"],
  ...["vitest@3", "fast-check@4", "@types/node@24", "@types/express@4"]
]

let folder: string
let project: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-neighbours-"))
  const tarballs = await packAll(folder)
  // Rejects if npm finds a conflict.
  project = await makeProject(folder, "project", [...NEIGHBOURS, ...tarballs.values(), "typescript@5.9.3"])
}, TIMEOUT_MS)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }), TIMEOUT_MS)

const versionOf = (path: string) =>
  readJson<{ readonly version: string }>(join(project, path, "package.json")).version.split(".")[0]

describe("a project with Express 4, Effect 3 and earlier SDKs", () => {
  it("has its own versions, and one Effect 4 that all packages share", async () => {
    expect((await copiesOf(project, "effect")).toSorted()).toEqual([
      "./node_modules/@parley/core/node_modules/effect",
      "./node_modules/effect"
    ])
    const effects = ["node_modules/@parley/core/node_modules/effect", "node_modules/effect"]
    expect(effects.map(versionOf)).toEqual(["4", "3"])
    expect(await copiesOf(project, "express")).toEqual(["./node_modules/express"])
  })

  it("signs a person in, answers with a source by its own SDK, and charges for it", async () => {
    expect(hasPostgres, "TEST_DATABASE_URL names a Postgres").toBe(true)
    cpSync(fileURLToPath(new URL("support/neighbours.mjs", import.meta.url)), join(project, "main.mjs"))
    const run = Effect.flatMap(freshPostgres, (url) =>
      Effect.promise(() =>
        ending(process.execPath, ["main.mjs"], project, { ...process.env, DATABASE_URL: url, NO_COLOR: "1" })
      )
    )
    const { exit, said } = await Effect.runPromise(Effect.scoped(run))
    expect([exit, said]).toEqual([0, expect.stringContaining("{")])
    const printed = JSON.parse(said.split("\n").findLast((line) => line.startsWith("{")) ?? "{}") as object
    expect(printed).toEqual({
      effect: "Effect 3",
      text: "Storks return in March [1].",
      agents: [expect.stringMatching(/^OpenAI\/JS 6\./)],
      sources: ["storks.txt"],
      credits: 1,
      available: 99,
      unsigned: 401,
      page: 200,
      nowhere: 404
    })
  })

  it("compiles against the packages and both frameworks, with the libraries checked", async () => {
    const program = [
      'import express, { type Request } from "express"',
      'import { answerError, answerNotFound, parleyApp, parleyRouter, type ParleyRuntime } from "@parley/adapters-http"',
      'import { dashboardRouter } from "@parley/dashboard"',
      "declare const runtime: ParleyRuntime",
      "const authenticate = (request: Request) => ({ userId: request.ip ?? '' })",
      "export const app = express().use(dashboardRouter({ signIn: { kind: 'elsewhere' } }))",
      "app.use(parleyRouter({ runtime, authenticate }), answerNotFound, answerError)",
      "export const listener = parleyApp({ runtime, authenticate: () => undefined, pages: express().use(answerNotFound) })"
    ]
    writeFileSync(join(project, "program.ts"), program.join("\n"))
    const compilerOptions = { module: "nodenext", target: "es2022", strict: true, noEmit: true, types: ["node"] }
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }))
    const compiler = join(project, "node_modules/typescript/bin/tsc")
    expect(await ending(process.execPath, [compiler, "-p", project], project)).toEqual({ exit: 0, said: "" })
  })
})
