import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freshPostgres, hasPostgres } from "../packages/adapters-db/test/databases.ts"
import { Effect } from "effect"
import { inMemory, readExample, withoutSlow } from "./support/examples.ts"
import {
  addTo,
  copiesOf,
  ending,
  installedBytes,
  freePort,
  makeProject,
  otherEffect,
  packAll,
  readJson
} from "./support/packedPackages.ts"
import { published } from "./support/publishedPackages.ts"
import { codeBlocks, moduleName, moduleOf, programs } from "../tooling/docs/codeBlocks.ts"

interface Manifest {
  readonly private?: boolean
  readonly version: string
  readonly engines?: unknown
  readonly scripts?: unknown
  readonly publishConfig?: unknown
  readonly repository?: unknown
  readonly keywords?: ReadonlyArray<string>
  readonly sideEffects?: unknown
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>
  readonly bin?: Readonly<Record<string, string>>
}

const root = fileURLToPath(new URL("..", import.meta.url))
const TIMEOUT_MS = 1_800_000
const MEGABYTE = 1_000_000

/** The programs of the guides that need a database. */
const onPostgres = ["express-app", "two-servers"]
const SDKS = ["openai", "@anthropic-ai/sdk", "stripe", "@electric-sql/pglite", "@electric-sql/pglite-pgvector"]
/** Of these, the dashboard takes about 15, a third of them for diagrams. */
const SERVER_MAX_MB = 125

let folder: string
let tarballs: ReadonlyMap<string, string>
let effect: { readonly file: string; readonly version: string }
/** A project with the packages and their dependencies, and without any vendor's SDK. */
let project: string
/** Other compilers, another Node, and the package checkers. */
let tools: string

const all = () => [...tarballs.values()]
const tool = (path: string) => join(tools, "node_modules", path)
const installed = (name: string) => join(project, "node_modules/@parley", name)
const manifestOf = (name: string) => readJson<Manifest>(join(installed(name), "package.json"))
const filesOf = async (name: string) =>
  (await ending("find", [".", "-type", "f"], installed(name))).said.trim().split("\n")

const OLD_NODE = () => tool(`node-${process.platform}-${process.arch}/bin/node`)
const nodes = () => [process.execPath, OLD_NODE()]

/** Every entry of every package, as it is imported. */
const entries = () =>
  published.flatMap((name) => Object.keys(manifestOf(name).exports).map((entry) => `@parley/${name}${entry.slice(1)}`))

/** Runs a program in the project, which cannot see this repository, and returns its output. */
const printed = async (node: string, file: string, env: NodeJS.ProcessEnv = {}) => {
  const { PATH = "" } = process.env
  return (
    await ending(node, ["--disable-warning=ExperimentalWarning", file], project, {
      PATH,
      HOME: folder,
      NO_COLOR: "1",
      ...env
    })
  ).said
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-packages-"))
  tarballs = await packAll(folder)
  effect = await otherEffect(folder)
  tools = await makeProject(folder, "tools", [
    "typescript-5.4@npm:typescript@5.4.5",
    "typescript-5.7@npm:typescript@5.7.3",
    "typescript-5.9@npm:typescript@5.9.3",
    `node-${process.platform}-${process.arch}@22.19.0`,
    "publint@0.3.25",
    "@arethetypeswrong/cli@0.18.5"
  ])
  const forTypes = [
    "@types/node@24",
    "@types/react@19",
    "react@19",
    "vitest@5",
    "fast-check@4",
    "fastify@5",
    "express@5",
    "@types/express@5",
    "@types/pg@8"
  ]
  project = await makeProject(folder, "project", [...all(), effect.file, ...forTypes])
}, TIMEOUT_MS)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }), TIMEOUT_MS)

describe.each(published)("@parley/%s, packed", (name) => {
  it("has every file that its manifest names, its licence and how it is begun with, and no leftovers", async () => {
    const manifest = manifestOf(name)
    expect([manifest.engines, manifest.scripts, manifest.private]).toEqual([{ node: ">=22.19" }, undefined, undefined])
    expect(manifest).toMatchObject({
      publishConfig: { access: "public", provenance: true },
      repository: { type: "git", directory: `packages/${name}` },
      keywords: expect.arrayContaining(["parley"]),
      sideEffects: expect.anything()
    })
    const named = Object.values(manifest.exports).flatMap((entry) => [entry.types, entry.default])
    const files = await filesOf(name)
    expect(files).toEqual(
      expect.arrayContaining([
        ...named,
        ...Object.values(manifest.bin ?? {}).map((path) => `./${path}`),
        "./LICENSE",
        "./CHANGELOG.md"
      ])
    )
    expect(files.filter((file) => /tsbuildinfo|\.kept$|\.sources$|\.map$|\/(test|bench|src)\//.test(file))).toEqual([])
    const readme = readFileSync(join(installed(name), "README.md"), "utf8")
    expect(readme).toMatch(new RegExp(`^npm install .*@parley/${name}\\b`, "m"))
    expect(readme).toMatch(/\]\(https:\/\/github\.com\//)
  })

  it("is read as it was written, without maps: what compiles it takes no more than the types out", async () => {
    const scripts = (await filesOf(name)).filter((file) => file.startsWith("./dist/") && /\.(js|d\.ts)$/.test(file))
    const texts = scripts.map((file) => ({ file, text: readFileSync(join(installed(name), file), "utf8") }))
    expect(texts.filter(({ text }) => text.includes("//# sourceMappingURL=")).map(({ file }) => file)).toEqual([])
    expect(texts.some(({ file, text }) => file.endsWith(".js") && text.includes("/** "))).toBe(true)
  })

  it("has declarations without the data that the modules contain", async () => {
    const declarations = (await filesOf(name)).filter((file) => file.endsWith(".d.ts"))
    const isWithData = (file: string) =>
      /"(?:[^"\\\n]|\\.){500,}"/.test(readFileSync(join(installed(name), file), "utf8"))
    expect(declarations.filter(isWithData)).toEqual([])
  })

  it("is found right by publint, and its types by every resolution of ES modules", async () => {
    const file = tarballs.get(name) ?? ""
    expect(await ending(OLD_NODE(), [tool("publint/src/cli.js"), "run", file, "--strict"], tools)).toMatchObject({
      exit: 0
    })
    const attw = [tool("@arethetypeswrong/cli/dist/index.js"), file, "--profile", "esm-only"]
    expect(await ending(OLD_NODE(), attw, tools)).toMatchObject({ exit: 0 })
  })
})

describe("a project with an Effect of another patch, with the packages and what they declare, but no vendor's SDK", () => {
  it("has one Effect, its own, and no SDK that it did not ask for", async () => {
    expect(await copiesOf(project, "effect")).toEqual(["./node_modules/effect"])
    expect(readJson<Manifest>(join(project, "node_modules/effect/package.json")).version).toBe(effect.version)
    for (const sdk of SDKS) expect([sdk, await copiesOf(project, sdk)]).toEqual([sdk, []])
  })

  it("imports every entry, on each Node", async () => {
    // The last has types alone.
    const others = ["@parley/core/testing", "@parley/core/effect4/Types"]
    const imported = entries().filter((entry) => !others.includes(entry))
    const lines = imported.map((entry) => `if (Object.keys(await import("${entry}")).length === 0) throw "${entry}"`)
    writeFileSync(join(project, "imports.mjs"), [...lines, `console.log(${lines.length})`, "process.exit()"].join("\n"))
    for (const node of nodes()) expect(await printed(node, "imports.mjs")).toBe(`${imported.length}\n`)
  })

  it("names the package to install if a missing one is needed", async () => {
    cpSync(join(root, "test/support/askMissing.mjs"), join(project, "askMissing.mjs"))
    const told = await printed(process.execPath, "askMissing.mjs")
    for (const sdk of SDKS) expect(told).toMatch(new RegExp(`npm install .*${sdk}(?![\\w-])`))
    const { exit, said } = await ending(process.execPath, ["node_modules/.bin/parley", "serve"], project, {
      ...process.env,
      PORT: "0",
      DATABASE_URL: ""
    })
    expect([exit, said]).toEqual([3, expect.stringContaining("npm install @electric-sql/pglite")])
  })

  it("finds the migrations in a bundle that is run elsewhere", async () => {
    const { build } = await import("vite")
    const entry = join(project, "bundled.mjs")
    writeFileSync(
      entry,
      'import { loadMigrations } from "@parley/adapters-db"\nconsole.log((await loadMigrations()).length)\n'
    )
    await build({
      configFile: false,
      logLevel: "silent",
      root: project,
      ssr: { noExternal: true, external: ["pg", "pg-boss", "@electric-sql/pglite", "@electric-sql/pglite-pgvector"] },
      build: {
        ssr: entry,
        outDir: join(project, "bundle/deep"),
        rollupOptions: { output: { entryFileNames: "b.mjs" } }
      }
    })
    expect(Number(await printed(process.execPath, "bundle/deep/b.mjs"))).toBeGreaterThan(5)
  })

  it.each([
    ["nodenext", "7", { module: "nodenext", moduleResolution: "nodenext" }],
    ["nodenext", "5.9", { module: "nodenext", moduleResolution: "nodenext" }],
    ["bundler", "7", { module: "esnext", moduleResolution: "bundler" }],
    ["bundler", "5.9", { module: "esnext", moduleResolution: "bundler" }]
  ])(
    "compiles what imports every entry, and the programs, whole; they do as they say: %s, TypeScript %s",
    async (resolution, version, options) => {
      const names = entries().map((entry, index) => `import * as entry${index} from "${entry}"\nvoid entry${index}`)
      writeFileSync(join(project, "entries.ts"), names.join("\n"))
      const programs = [...inMemory, "fastify"]
      for (const name of [...programs, ...onPostgres])
        cpSync(join(root, "examples", name, "src"), join(project, name), { recursive: true })
      const outDir = `out-${resolution}-${version}`
      const compilerOptions = {
        ...options,
        target: "es2024",
        lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable"],
        strict: true,
        skipLibCheck: false,
        types: ["node"],
        rewriteRelativeImportExtensions: true,
        rootDir: ".",
        outDir
      }
      const mains = [...programs, ...onPostgres].map((name) => `${name}/main.ts`)
      const files = ["entries.ts", ...mains, "two-servers/serverProcess.ts", "two-servers/workerProcess.ts"]
      writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
      const compiler = version === "7" ? join(root, "node_modules/typescript/bin/tsc") : tool("typescript-5.9/bin/tsc")
      expect(await ending(process.execPath, [compiler, "-p", project], project)).toEqual({ exit: 0, said: "" })
      for (const node of version === "7" ? nodes() : [OLD_NODE()]) {
        for (const name of programs) {
          expect([name, await printed(node, `${outDir}/${name}/main.js`)]).toEqual([
            name,
            readExample(`${name}/expected.txt`)
          ])
        }
      }
    }
  )
})

describe("the types of every entry", () => {
  const withoutEffect = ["client", "dashboard", "react", "stripe-stand-in", "widget"].map((name) => `@parley/${name}`)
  const isWithoutEffect = (entry: string) => withoutEffect.some((name) => `${entry}/`.startsWith(`${name}/`))

  // Effect's own declarations need TypeScript 5.7.
  it.each([
    ["5.4", "that import no Effect, with the libraries checked", isWithoutEffect, false],
    ["5.4", "with the libraries unchecked", () => true, true],
    ["5.7", "with the libraries checked", () => true, false]
  ])("compile with TypeScript %s, %s", async (version, _which, isMeant, skipLibCheck) => {
    const names = entries()
      .filter(isMeant)
      .map((entry, index) => `import * as entry${index} from "${entry}"\nvoid entry${index}`)
    writeFileSync(join(project, "types.ts"), names.join("\n"))
    const lib = ["es2023", "dom", "dom.iterable", ...(version === "5.4" ? [] : ["dom.asynciterable"])]
    const language = { module: "nodenext", target: "es2022", lib, types: ["node"] }
    const compilerOptions = { ...language, strict: true, noEmit: true, skipLibCheck }
    const file = join(project, "tsconfig-types.json")
    writeFileSync(file, JSON.stringify({ compilerOptions, files: ["types.ts"] }))
    const compiler = tool(`typescript-${version}/bin/tsc`)
    expect(await ending(process.execPath, [compiler, "-p", file], project)).toEqual({ exit: 0, said: "" })
  })
})

describe("projects with more in them", () => {
  it.each(onPostgres)("the program %s prints what its guide says, on a database of its own", async (name) => {
    expect(hasPostgres, "TEST_DATABASE_URL names a Postgres").toBe(true)
    const output = Effect.flatMap(freshPostgres, (url) =>
      Effect.promise(() => printed(OLD_NODE(), `out-nodenext-7/${name}/main.js`, { DATABASE_URL: url }))
    )
    expect(withoutSlow(await Effect.runPromise(Effect.scoped(output)))).toBe(readExample(`${name}/expected.txt`))
  })

  it("the unit tests of the guide pass", async () => {
    const tests = join(project, "unit-tests")
    for (const name of ["src", "test"]) {
      cpSync(join(root, "examples/unit-tests", name), join(tests, name), { recursive: true })
    }
    const argv = [join(project, "node_modules/vitest/vitest.mjs"), "run", "--dir", "test"]
    expect(await ending(process.execPath, argv, tests)).toMatchObject({
      exit: 0,
      said: expect.stringMatching(/Tests +3 passed/)
    })
  })

  it("an engine of another version is refused by npm, and reported with both versions if it is forced", async () => {
    const newer = await makeProject(folder, "newer", [...all(), "@electric-sql/pglite@0.5.14"])
    const install = ["install", "--ignore-scripts", "--no-audit", "@electric-sql/pglite@0.5.16"]
    const vectors = "@electric-sql/pglite-pgvector@0.0.15"
    expect(await ending("npm", [...install, vectors], newer)).toMatchObject({
      exit: 1,
      said: expect.stringContaining("ERESOLVE")
    })
    expect(await ending("npm", [...install, vectors, "--legacy-peer-deps"], newer)).toMatchObject({ exit: 0 })
    const open =
      'import { openDatabase } from "@parley/adapters-db"\nawait openDatabase().catch((e) => console.log(e.message))'
    writeFileSync(join(newer, "open.mjs"), open)
    const { said } = await ending(process.execPath, ["open.mjs"], newer)
    expect(said).toContain("needs @electric-sql/pglite 0.5.14, and @electric-sql/pglite 0.5.16 is installed")
  })

  it("parts that were written outside of the repository pass the contract suites, one of them on Redis", async () => {
    await addTo(project, ["redis@5"])
    const parts = join(project, "own-parts")
    for (const name of ["src", "contracts"]) {
      cpSync(join(root, "examples/own-parts", name), join(parts, name), { recursive: true })
    }
    const { said: program } = await ending("bash", [join(root, ".ci/redis")], root)
    const port = String(await freePort())
    const [path = ""] = program.split("\n")
    const redis = spawn(path, ["--port", port, "--bind", "127.0.0.1", "--save", ""], { stdio: "ignore" })
    const ended = new Promise((resolve) => redis.once("close", resolve))
    try {
      const argv = [join(project, "node_modules/vitest/vitest.mjs"), "run", "--dir", "contracts"]
      const env = { ...process.env, REDIS_URL: `redis://127.0.0.1:${port}` }
      expect(await ending(process.execPath, argv, parts, env)).toMatchObject({
        exit: 0,
        said: expect.stringMatching(/Test Files +4 passed/)
      })
    } finally {
      redis.kill()
      await ended
    }
  })

  it("the first program runs, once the embedded database is installed", async () => {
    await addTo(project, ["@electric-sql/pglite@0.5", "@electric-sql/pglite-pgvector@0.0.15"])
    cpSync(join(root, "examples/minimal/src/main.ts"), join(project, "first.ts"))
    writeFileSync(join(project, "first.mjs"), readFileSync(join(project, "first.ts"), "utf8").replace(" as const", ""))
    for (const node of nodes()) expect(await printed(node, "first.mjs")).toContain("storks.txt")
  })

  it("the programs of the documents print what the documents say", async () => {
    await addTo(project, ["stripe@23"])
    const documents = join(project, "documents")
    mkdirSync(documents)
    cpSync(join(root, "tooling/docs/runPrograms.ts"), join(documents, "runPrograms.ts"))
    const blocks = programs(codeBlocks()).filter(({ marks }) => marks.includes("run"))
    const files = blocks.map((block) => join(documents, moduleName(block)))
    for (const [index, block] of blocks.entries()) writeFileSync(files[index] ?? "", moduleOf(block))
    const argv = ["--disable-warning=ExperimentalWarning", join(documents, "runPrograms.ts"), ...files]
    const { said } = await ending(process.execPath, argv, project, { ...process.env, DATABASE_URL: "" })
    const printed = JSON.parse(said) as Readonly<Record<string, string>>
    expect(blocks.map((block, index) => [moduleName(block), printed[files[index] ?? ""]?.trim()])).toEqual(
      blocks.map((block) => [moduleName(block), block.output?.trim()])
    )
  })

  it("an empty folder becomes what the page for beginners says, command by command", async () => {
    const page = readFileSync(join(root, "docs/start.md"), "utf8")
    const [, library = ""] = page.split("## The library")
    const commands = [...library.matchAll(/^(npm install|node) ([^#\n]*)/gm)].map(([, command = "", rest = ""]) => ({
      command,
      words: rest.trim().split(" ")
    }))
    expect(commands.map(({ command }) => command)).toEqual(["npm install", "npm install", "node"])
    for (const other of ["README.md", "packages/core/README.md"]) {
      const text = readFileSync(join(root, other), "utf8")
      for (const { words } of commands.slice(0, 2)) expect(text).toContain(`npm install ${words.join(" ")}`)
    }
    const start = join(folder, "start")
    mkdirSync(start)
    cpSync(join(root, "examples/minimal/src/main.ts"), join(start, "main.mts"))
    // The packages are not in the registry yet: their files stand for them.
    const named = (word: string) => (word.startsWith("@parley/") ? (tarballs.get(word.slice(8)) ?? "") : word)
    for (const { command, words } of commands.slice(0, 2)) {
      const [program = "", ...first] = command.split(" ")
      expect(await ending(program, [...first, "--no-audit", ...words.map(named)], start)).toMatchObject({ exit: 0 })
    }
    const [, , { words } = { words: [] }] = commands
    const env = { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1" }
    for (const node of nodes()) {
      const { exit, said } = await ending(node, ["--disable-warning=ExperimentalWarning", ...words], start, env)
      expect([exit, said]).toEqual([0, expect.stringMatching(/Storks return[^]*storks\.txt[^]*available: 99/)])
    }
  })

  it(`a server with one vendor takes less than ${SERVER_MAX_MB} MB`, async () => {
    // The hooks are for pages.
    const ofServers = [...tarballs].flatMap(([name, file]) => (name === "react" ? [] : [file]))
    const server = await makeProject(folder, "server", [...ofServers, "openai@7"])
    const megabytes = (await installedBytes(server)) / MEGABYTE
    process.stdout.write(`a server with one vendor: ${megabytes.toFixed(1)} MB\n`)
    expect(megabytes).toBeLessThan(SERVER_MAX_MB)
  })
})
