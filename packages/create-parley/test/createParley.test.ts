import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createProject } from "../src/createProject.ts"
import { projectFiles } from "../src/projectFiles.ts"
import { combinations, nameOf } from "./combinations.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const run = promisify(execFile)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "create-parley-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}
const manifestIn = (files: ReadonlyMap<string, string>) => JSON.parse(files.get("package.json") ?? "{}") as Manifest

/** Runs the program in this process, with these lines as its input; returns its output. */
const create = async (argv: ReadonlyArray<string>, lines: ReadonlyArray<string> = [], userAgent?: string) => {
  const input = new PassThrough()
  const output = new PassThrough()
  input.end(lines.map((line) => `${line}\n`).join(""))
  await createProject(argv, { input, output }, userAgent)
  return String(output.read() ?? "")
}

/** Runs the program in a process of its own; returns its exit code and its output. */
const runProgram = async (argv: ReadonlyArray<string>) => {
  const program = fileURLToPath(new URL("../src/main.ts", import.meta.url))
  const running = run(process.execPath, ["--disable-warning=ExperimentalWarning", program, ...argv])
  running.child.stdin?.end()
  return running.then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    (error: { readonly code: number; readonly stderr: string }) => ({ code: error.code, said: error.stderr })
  )
}

describe("the written projects", () => {
  it.each(combinations.map((choices) => [nameOf(choices), choices] as const))(
    "declare what they import, and have the settings that they read: %s",
    (_name, choices) => {
      const files = projectFiles("app", choices, "drawn-secret")
      const { dependencies, devDependencies } = manifestIn(files)
      const sources = [...files].filter(([path]) => /\.tsx?$/.test(path)).map(([, text]) => text)
      const imported = sources.flatMap((text) =>
        [...text.matchAll(/ from "((?:@[^/"]+\/)?[^./"][^/"]*)/g)].map(([, name = ""]) => name)
      )
      expect([...new Set(imported)].filter((name) => !(name in dependencies))).toEqual([])
      const read = sources.flatMap((text) => [...text.matchAll(/\b(?:PARLEY_SESSION|DATABASE)_\w+/g)].map(String))
      expect(read.filter((name) => !files.get(".env")?.includes(`\n${name}=`))).toEqual([])
      const ours = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
        name.startsWith("@parley")
      )
      expect(ours.length).toBeGreaterThan(0)
      const { version } = JSON.parse(readFileSync(join(root, "packages/core/package.json"), "utf8")) as {
        readonly version: string
      }
      expect([...new Set(ours.map(([, range]) => range))]).toEqual([`^${version}`])
      expect(Object.values({ ...dependencies, ...devDependencies })).not.toContain("*")
      expect(files.has("src/storage.ts")).toBe(choices.framework !== "server")
      expect("@electric-sql/pglite" in dependencies).toBe(choices.database === "embedded")
    }
  )
})

describe("the questions", () => {
  it("take a number, a name, or nothing for the first answer, and are repeated after anything else", async () => {
    const project = join(folder, "asked")
    const said = await create([project], ["9", "2", "postgres", ""])
    expect(said.match(/1 to \d \[1\]: /g)).toHaveLength(4)
    expect(readFileSync(join(project, "src/main.ts"), "utf8")).toContain('from "express"')
    expect(readFileSync(join(project, "src/storage.ts"), "utf8")).toContain("DATABASE_URL")
    expect(readFileSync(join(project, "src/signIn.ts"), "utf8")).toContain("makeDevelopmentSessions")
    expect(said).toContain("DATABASE_URL: your Postgres server")
    expect(said).toMatch(/npm install\n {2}npm run dev/)
  })

  it("are not asked where an option answers them", async () => {
    const said = await create([join(folder, "partly"), "--framework", "hono", "--sign-in", "jwks"], [""])
    expect(said.match(/1 to \d \[1\]: /g)).toHaveLength(1)
    expect(said).toContain("Database")
  })

  it("are not asked at all with --yes, and the commands are those of the package manager in use", async () => {
    const said = await create([join(folder, "yes"), "--yes"], [], "pnpm/12.21.0 npm/? node/v24.9.0")
    expect(said).not.toContain("[1]")
    expect(said).toMatch(/pnpm install\n {2}pnpm start/)
    expect(
      manifestIn(new Map([["package.json", readFileSync(join(folder, "yes/package.json"), "utf8")]])).scripts
    ).toEqual({ start: "parley serve", doctor: "parley doctor" })
  })
})

describe("the program", () => {
  it("writes nothing into a folder that has files", async () => {
    const project = join(folder, "full")
    mkdirSync(project)
    writeFileSync(join(project, "mine.txt"), "mine")
    expect(await runProgram([project, "--yes"])).toEqual({ code: 1, said: expect.stringContaining("is not empty") })
    expect(readdirSync(project)).toEqual(["mine.txt"])
  })

  it("writes into an empty folder, with a secret of its own that only its owner reads", async () => {
    const secrets = await Promise.all(
      ["one", "two"].map(async (name) => {
        const project = join(folder, name)
        mkdirSync(project)
        expect(await runProgram([project, "--yes", "--sign-in", "secret"])).toMatchObject({ code: 0 })
        expect(statSync(join(project, ".env")).mode & 0o777).toBe(0o600)
        expect(readFileSync(join(project, ".gitignore"), "utf8")).toContain(".env\n")
        return /PARLEY_SESSION_SECRET=(\S{43})\n/.exec(readFileSync(join(project, ".env"), "utf8"))?.[1]
      })
    )
    expect(secrets).toEqual([expect.any(String), expect.any(String)])
    expect(secrets[0]).not.toBe(secrets[1])
  })

  it.each([
    [["--framework", "koa"], 2, "server, express, fastify, hono, next"],
    [["--colour", "red"], 2, "--colour"],
    [["more"], 2, "more"],
    [[], 1, "add --yes"]
  ])("refuses %j with %i, and writes nothing", async (argv, code, problem) => {
    const project = join(folder, "refused")
    expect(await runProgram([project, ...argv])).toEqual({
      code,
      said: expect.stringContaining(problem)
    })
    expect(readdirSync(folder)).not.toContain("refused")
  })
})
