import { execFile } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"

interface Bundling {
  readonly bundleProgram: (packageFolder: URL) => Promise<boolean>
}
interface Program {
  readonly programOf: (packageFolder: URL) => { readonly entry: string; readonly isCheckout: boolean }
}

const run = promisify(execFile)
const here = (path: string) => new URL(path, import.meta.url)
const { bundleProgram } = (await import(here("../../../tooling/bundleProgram.mjs").href)) as Bundling
const { programOf } = (await import(here("../bin/program.js").href)) as Program

const MAIN = `
import { greeting } from "../../core/src/greeting.ts"
import { readFileSync } from "node:fs"
const asked: string = process.argv[2] ?? ""
const beside = readFileSync(new URL("beside.txt", import.meta.url), "utf8")
const { later } = await import("./later.ts")
console.log([greeting, beside, later, asked].join(" "))
`

/** A repository in small: the command's package, one that it imports, and one of others in two versions. */
const FILES = {
  "package-lock.json": "{}",
  "packages/cli/package.json": '{ "type": "module" }',
  "packages/cli/src/main.ts": MAIN,
  "packages/cli/src/later.ts": 'export const later: string = "later"\n',
  "packages/cli/src/beside.txt": "beside",
  "packages/cli/node_modules/teller/package.json": '{ "version": "2.0.0", "type": "module", "main": "index.js" }',
  "packages/cli/node_modules/teller/index.js": 'export const told = "wrong"\n',
  "packages/core/package.json": '{ "type": "module" }',
  "packages/core/src/greeting.ts":
    'import { told } from "teller"\nexport { unused } from "./unused.ts"\nexport const greeting = `hello ${told}`\n',
  "packages/core/src/unused.ts": "export const unused = 1\n",
  "packages/core/node_modules/teller/package.json": '{ "version": "1.0.0", "type": "module", "main": "index.js" }',
  "packages/core/node_modules/teller/index.js": 'export const told = "right"\n'
}

let root: string
const at = (path: string) => join(root, path)
const cli = () => pathToFileURL(`${at("packages/cli")}/`)
const isBundle = () => programOf(cli()).entry.startsWith(at("packages/cli/dist-program"))
const write = (path: string, text: string) => {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}
/** The command's output, started as `npm start` does. */
const printed = async () => {
  const options = ["--conditions=@parley/source", "--disable-warning=ExperimentalWarning"]
  return (await run(process.execPath, [...options, at("packages/cli/bin/parley.js"), "asked"])).stdout.trim()
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "parley-program-"))
  cpSync(here("../bin"), at("packages/cli/bin"), { recursive: true })
})
beforeEach(async () => {
  for (const [path, text] of Object.entries(FILES)) write(path, text)
  await bundleProgram(cli())
})
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

describe("the bundled program", () => {
  it("does as its sources do: it finds what lies beside them, and the version of a package that they have", async () => {
    expect(isBundle()).toBe(true)
    const bundled = await printed()
    write("packages/cli/dist-program/built.json", "")
    expect(isBundle()).toBe(false)
    expect([bundled, await printed()]).toEqual(["hello right beside later asked", "hello right beside later asked"])
  })

  it.each([
    ["packages/cli/src/main.ts", "beside, later", "later, beside"],
    ["packages/cli/src/later.ts", '"later"', '"Later"'],
    ["packages/core/src/greeting.ts", "hello", "hullo"],
    ["packages/core/src/unused.ts", "1", "2"]
  ] as const)(
    "is not run once %s is edited, even to the same length and with the same times",
    async (path, was, is) => {
      const { atime, mtime } = statSync(at(path))
      write(path, FILES[path].replace(was, is))
      utimesSync(at(path), atime, mtime)
      expect(isBundle()).toBe(false)
      expect(await bundleProgram(cli())).toBe(true)
      expect(isBundle()).toBe(true)
    }
  )

  it.each([
    "packages/core/node_modules/teller/package.json",
    "packages/core/package.json",
    "package-lock.json"
  ] as const)("is not run once %s is another: it may be installed otherwise", async (path) => {
    write(path, `${FILES[path]}\n`)
    expect(isBundle()).toBe(false)
    expect(await bundleProgram(cli())).toBe(true)
  })

  it("is not run once a file of it is gone, and a source that is edited is run at once", async () => {
    write("packages/cli/src/later.ts", 'export const later = "edited"\n')
    expect(await printed()).toBe("hello right beside edited asked")
    rmSync(at("packages/core/src/unused.ts"))
    expect(isBundle()).toBe(false)
  })

  it.each([
    ["cut short", (path: string) => writeFileSync(path, "")],
    ["gone", (path: string) => rmSync(path)]
  ])("is not run where a file that was made is %s, and is made anew", async (_, harm) => {
    const made = () => dirname(programOf(cli()).entry)
    for (const [place] of readdirSync(made()).entries()) {
      const name = readdirSync(made()).toSorted()[place] ?? ""
      harm(join(made(), name))
      expect([name, isBundle()]).toEqual([name, false])
      expect(await bundleProgram(cli())).toBe(true)
      expect(isBundle()).toBe(true)
    }
  })

  it("is made once of the same sources, and leaves the one before it to processes that run", async () => {
    expect(await bundleProgram(cli())).toBe(false)
    const before = programOf(cli()).entry
    write("packages/cli/src/later.ts", 'export const later = "edited"\n')
    await bundleProgram(cli())
    expect([programOf(cli()).entry === before, existsSync(before)]).toEqual([false, true])
  })

  it("is what the processes of the tests run", async () => {
    await bundleProgram(here("../"))
    expect(programOf(here("../")).entry).toContain(fileURLToPath(here("../dist-program/")))
  })

  it("is nothing that a published package has, which runs its compiled files", () => {
    rmSync(at("packages/cli/src"), { recursive: true })
    expect(programOf(cli())).toEqual({ entry: at("packages/cli/dist/main.js"), isCheckout: false })
  })
})
