import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { published } from "./support/publishedPackages.ts"

interface Manifest {
  readonly private?: boolean
  readonly engines?: unknown
  readonly publishConfig?: { readonly engines?: unknown }
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}
interface Lock {
  packages: Record<string, { engines?: unknown; optionalDependencies?: Record<string, string>; dev?: boolean }>
}

const root = fileURLToPath(new URL("..", import.meta.url))
const run = promisify(execFile)
const readJson = <A>(path: string): A => JSON.parse(readFileSync(path, "utf8")) as A

const temporaryFolder = () => {
  const path = mkdtempSync(join(tmpdir(), "parley-packaging-"))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Returns the result of `npm run check:lock` for the lock file after `change`. */
const checkLock = async (change: (lock: Lock) => void) => {
  using folder = temporaryFolder()
  const lock = readJson<Lock>(join(root, "package-lock.json"))
  change(lock)
  mkdirSync(join(folder.path, "tooling"))
  cpSync(join(root, "tooling/lock.mjs"), join(folder.path, "tooling/lock.mjs"))
  writeFileSync(join(folder.path, "package-lock.json"), JSON.stringify(lock))
  const check = () =>
    run(process.execPath, [join(folder.path, "tooling/lock.mjs")]).then(
      () => "passed",
      (error: { readonly stderr: string }) => error.stderr
    )
  const before = await check()
  await run(process.execPath, [join(folder.path, "tooling/lock.mjs"), "--write"]).catch(() => undefined)
  return [before, await check()]
}

describe("the lock file", () => {
  it("makes npm warn of no package's Node on any Node; entries that an install adds are repaired", async () => {
    const [before, after] = await checkLock((lock) => {
      const entry = lock.packages["node_modules/openai"]
      if (entry !== undefined) entry.engines = { node: ">=22" }
    })
    expect(before).toContain("engines for 1 packages")
    expect(after).toBe("passed")
    expect(await checkLock(() => undefined)).toEqual(["passed", "passed"])
  })

  it("has an entry for every platform's packages", async () => {
    const name = "@oxlint/binding-darwin-arm64"
    const [before, after] = await checkLock((lock) => void delete lock.packages[`node_modules/${name}`])
    expect([before, after]).toEqual([expect.stringContaining(name), expect.stringContaining(name)])
  })

  it("leaves what only development needs out of an install for production", () => {
    const { packages } = readJson<Lock>(join(root, "package-lock.json"))
    for (const name of ["vitest", "vite", "rolldown", "fast-check", "typescript"]) {
      expect([name, packages[`node_modules/${name}`]?.dev]).toEqual([name, true])
    }
    expect(packages["node_modules/node"]).not.toHaveProperty("dev")
  })
})

describe("a package", () => {
  it.each(published)("%s declares its Node for its users, but not for installs of the repository", (name) => {
    const manifest = readJson<Manifest>(join(root, "packages", name, "package.json"))
    expect([manifest.engines, manifest.publishConfig?.engines]).toEqual([undefined, { node: ">=22.19" }])
    expect(Object.keys(manifest.scripts ?? {})).toEqual(expect.arrayContaining(["prepack", "postpack", "postpublish"]))
  })

  it("published from its folder, keeps its engines until npm has read the manifest again", async () => {
    using folder = temporaryFolder()
    const tool = join(root, "tooling/publishedManifest.mjs")
    const path = join(folder.path, "package.json")
    cpSync(join(root, "packages/core/package.json"), path)
    const step = (mode: string, event: string) =>
      run(process.execPath, [tool, mode], {
        cwd: folder.path,
        env: { npm_command: "publish", npm_lifecycle_event: event }
      })
    const engines = () => readJson<Manifest>(path).engines
    await step("publish", "prepack")
    await step("restore", "postpack")
    expect(engines()).toEqual({ node: ">=22.19" })
    await step("restore", "postpublish")
    expect(engines()).toBeUndefined()
  })
})

describe("a server", () => {
  it("loads nothing but Node's own modules before its first line", () => {
    const source = join(root, "packages/cli/src")
    const importsOf = (file: string) =>
      [...readFileSync(join(source, file), "utf8").matchAll(/^import .* from "(.*)"$/gm)].map(([, from]) => from)
    const own = ["firstLine.ts", "config/environmentFile.ts"]
    const loaded = ["main.ts", ...own].flatMap(importsOf).filter((from) => !from?.startsWith("node:"))
    expect(loaded.toSorted()).toEqual(own.map((file) => `./${file}`).toSorted())
  })
})
