import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { copyRepository } from "./support/copyRepository.ts"
import { published } from "./support/publishedPackages.ts"

interface Manifest {
  readonly private?: boolean
  readonly name: string
  readonly version: string
  readonly engines?: unknown
  readonly scripts?: unknown
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const root = fileURLToPath(new URL("..", import.meta.url))
const run = promisify(execFile)
const readJson = <A>(path: string): A => JSON.parse(readFileSync(path, "utf8")) as A
const TIMEOUT_MS = 900_000

let folder: string
const installed = (name: string) => join(folder, "project/node_modules/@parley", name)
const manifestOf = (name: string) => readJson<Manifest>(join(installed(name), "package.json"))
const filesOf = async (name: string) =>
  (await run("find", [".", "-type", "f"], { cwd: installed(name), maxBuffer: 2 ** 24 })).stdout.trim().split("\n")

/** Every entry of every package, as it is imported; what only runs within Vitest apart. */
const entries = () =>
  published.flatMap((name) => Object.keys(manifestOf(name).exports).map((entry) => `@parley/${name}${entry.slice(1)}`))

/** Puts what a package declares beside it, from what the repository has installed; what it does not declare is not there. */
const install = (name: string): void => {
  const { dependencies, peerDependencies } = manifestOf(name)
  for (const needed of Object.keys({ ...dependencies, ...peerDependencies })) {
    const place = join(folder, "project/node_modules", needed)
    if (existsSync(place)) continue
    if (needed.startsWith("@parley/")) throw new Error(`${name} depends on ${needed}, which is not published.`)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(root, "node_modules", needed), place)
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "parley-packages-"))
  const clone = join(folder, "clone")
  mkdirSync(clone)
  await copyRepository(clone)
  // Links within the modules lead to the packages beside them: those of the clone.
  await run("cp", ["-a", join(root, "node_modules"), clone])
  for (const name of published) {
    const own = join(root, "packages", name, "node_modules")
    if (existsSync(own)) cpSync(own, join(clone, "packages", name, "node_modules"), { recursive: true })
  }
  for (const name of published) {
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], {
      cwd: join(clone, "packages", name),
      maxBuffer: 2 ** 26
    })
    const file = /"filename": "(.*\.tgz)"/.exec(stdout)?.[1] ?? ""
    mkdirSync(installed(name), { recursive: true })
    await run("tar", ["-xzf", join(folder, file), "--strip-components=1", "-C", installed(name)])
  }
  for (const name of published) install(name)
  const { stdout } = await run("git", ["-C", root, "hash-object", ...published.map(manifestPath)])
  const { stdout: after } = await run("git", ["-C", clone, "hash-object", "--", ...published.map(manifestPath)])
  expect(after, "packing leaves the manifests as they were").toBe(stdout)
}, TIMEOUT_MS)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

const manifestPath = (name: string) => `packages/${name}/package.json`

describe.each(published)("@parley/%s, packed", (name) => {
  it("has every file that its manifest names, its licence and how it is begun with, and no leftovers", async () => {
    const manifest = manifestOf(name)
    expect([manifest.engines, manifest.scripts, manifest.private]).toEqual([{ node: ">=22.19" }, undefined, undefined])
    const named = Object.values(manifest.exports).flatMap((entry) => [entry.types, entry.default])
    const files = await filesOf(name)
    expect(files).toEqual(
      expect.arrayContaining([...named, ...Object.values(manifest.bin ?? {}).map((path) => `./${path}`), "./LICENSE"])
    )
    expect(files.filter((file) => /tsbuildinfo|\.kept$|\/(test|bench|src)\//.test(file))).toEqual([])
    const readme = readFileSync(join(installed(name), "README.md"), "utf8")
    expect(readme).toMatch(new RegExp(`^npm install .*@parley/${name}\\b`, "m"))
  })

  it("has its sources in its maps", async () => {
    for (const file of (await filesOf(name)).filter((each) => each.startsWith("./dist/") && each.endsWith(".js.map"))) {
      const { sources, sourcesContent } = readJson<Record<string, ReadonlyArray<string>>>(join(installed(name), file))
      expect(sourcesContent, file).toHaveLength(sources?.length ?? -1)
    }
  })
})

describe("a project with the packages in it, and with what they declare", () => {
  const node = async (file: string) => {
    const { PATH = "" } = process.env
    return (await run(process.execPath, [file], { cwd: join(folder, "project"), env: { PATH, HOME: folder } })).stdout
  }

  it("imports every entry", async () => {
    const imported = entries().filter((entry) => entry !== "@parley/core/testing")
    const lines = imported.map((entry) => `if (Object.keys(await import("${entry}")).length === 0) throw "${entry}"`)
    writeFileSync(
      join(folder, "project/imports.mjs"),
      [...lines, `console.log(${lines.length})`, "process.exit()"].join("\n")
    )
    expect(await node("imports.mjs")).toBe(`${imported.length}\n`)
  })

  it.each([
    ["nodenext", { module: "nodenext", moduleResolution: "nodenext" }],
    ["bundler", { module: "esnext", moduleResolution: "bundler" }]
  ])("compiles what imports every entry, and the first program, whole: %s", async (resolution, options) => {
    const project = join(folder, "project")
    const types = join(project, "node_modules/@types/node")
    if (!existsSync(types)) {
      mkdirSync(dirname(types), { recursive: true })
      symlinkSync(join(root, "node_modules/@types/node"), types)
    }
    const names = entries().map((entry, index) => `import * as entry${index} from "${entry}"\nvoid entry${index}`)
    writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }))
    writeFileSync(join(project, "entries.ts"), names.join("\n"))
    cpSync(join(root, "examples/minimal/src/main.ts"), join(project, "first.ts"))
    const compilerOptions = {
      ...options,
      target: "es2024",
      lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable"],
      strict: true,
      skipLibCheck: false,
      types: ["node"],
      outDir: `out-${resolution}`
    }
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["entries.ts", "first.ts"] })
    )
    const tsc = join(root, "node_modules/.bin/tsc")
    const said = await run(tsc, ["-p", project], { maxBuffer: 2 ** 24 }).then(
      () => "",
      (error: { readonly stdout: string }) => error.stdout
    )
    expect(said).toBe("")
    expect(await node(`out-${resolution}/first.js`)).toContain("storks.txt")
  })
})
