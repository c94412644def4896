import { execFileSync } from "node:child_process"
import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { CatalogOverrides } from "@parley/core/effect"
import { defaultCatalog } from "@parley/core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { codeBlocks, moduleName, programs, withProject } from "../tooling/docs/codeBlocks.ts"
import { commandLines, problemOfLine } from "../tooling/docs/commandLines.ts"
import { type CommandHelp, commands } from "../tooling/docs/commandTable.ts"
import { describedVariables, exampleVariables, readVariables } from "../tooling/docs/configurationTable.ts"
import { errorClasses } from "../tooling/docs/errorTable.ts"
import { deadLinksIn, deadLinks } from "../tooling/docs/links.ts"
import { llmsFullText, llmsText } from "../tooling/docs/siteTexts.ts"
import { root, sitePages, textOf } from "../tooling/docs/sitePages.ts"
import { tables } from "../tooling/docs/tables.ts"
import { readSettings } from "../packages/cli/src/config/readConfig.ts"
import { problemTable } from "../packages/adapters-http/src/problems/problemTable.ts"

const blocks = codeBlocks()

describe("the code in the documents", () => {
  const runner = ["--conditions=@parley/source", join(root, "tooling/docs/runPrograms.ts")]
  let help: ReadonlyArray<CommandHelp>

  beforeAll(async () => {
    help = await commands()
  })

  it("prints what the document says, where a block is marked to be run", async () => {
    const run = programs(blocks).filter(({ marks }) => marks.includes("run"))
    expect(run.length).toBeGreaterThan(5)
    const printed = await withProject(run, async (project) => {
      const files = run.map((block) => join(dirname(project), moduleName(block)))
      const env = { ...process.env, DATABASE_URL: "" }
      const { stdout } = await promisify(execFile)(process.execPath, [...runner, ...files], { cwd: root, env })
      const texts = JSON.parse(stdout) as Readonly<Record<string, string>>
      return files.map((file) => texts[file]?.trim())
    })
    expect(run.map((block, index) => [moduleName(block), printed[index]])).toEqual(
      run.map((block) => [moduleName(block), block.output?.trim()])
    )
  })

  it("calls parley with commands, options and arguments that there are", () => {
    const lines = commandLines(blocks)
    expect(lines.length).toBeGreaterThan(10)
    expect(
      lines.flatMap(({ place, words }) => {
        const problem = problemOfLine(words, help)
        return problem === undefined ? [] : [`${place}: ${problem}`]
      })
    ).toEqual([])
  })

  it.each([
    ["credits give user-1 500", "there is no command"],
    ["credits grant user-1", "takes user amount"],
    ["credits grant user-1 500 --twice", "has no option --twice"],
    ["doctor now", "takes nothing"]
  ])("is not taken for a command where it says parley %s", (line, problem) => {
    expect(problemOfLine(line.split(" "), help)).toContain(problem)
  })
})

describe("the table of commands in the command line's README", () => {
  it("has every command, and of each the options that its help has", async () => {
    const rows = textOf("packages/cli/README.md").matchAll(
      /^\| `(parley [a-z -]+?)(?: <[^`]*)?` +\|[^|]*\|([^|]*)\|$/gm
    )
    const described = [...rows].map(([, line = "", options = ""]) => ({
      line,
      isWhole: !options.includes("…"),
      options: [...options.matchAll(/`--([a-z-]+)`/g)].map(([, name = ""]) => name.replace(/^no-/, "")).sort()
    }))
    const all = (await commands()).map(({ help, words }) => ({
      line: ["parley", ...words].join(" "),
      options: help.flags.map(({ name }) => name).sort()
    }))
    expect(described.map(({ line }) => line).sort()).toEqual(all.map(({ line }) => line).sort())
    for (const { isWhole, line, options } of described) {
      const its = all.find((command) => command.line === line)?.options
      expect(its, line).toEqual(isWhole ? options : expect.arrayContaining(options))
    }
  })
})

describe("the pages for engineers", () => {
  const tracked = execFileSync("git", ["ls-files"], { encoding: "utf8" }).split("\n")
  const pages = tracked.filter((path) => /^(ARCHITECTURE|CONTRIBUTING|packages\/.*README)\.md$/.test(path))
  /** A path from its package: `core/chat/ChatService.ts` is in `packages/core/src/chat`. */
  const exists = (name: string): boolean => {
    const places = [name, name.replace("/", "/src/")]
    return tracked.some((path) => places.some((place) => path === place || path.endsWith(`/${place}`)))
  }

  it.each(pages)("names only files that are there: %s", (page) => {
    const names = [...textOf(page).matchAll(/`((?:[\w-]+\/)*[\w-]+\.(?:ts|tsx|sql|mjs))`/g)].map(
      ([, name = ""]) => name
    )
    expect(names.filter((name) => !exists(name))).toEqual([])
  })
})

describe("the tables of the reference", () => {
  it("are those of the sources; npm run docs:tables writes an intended change", async () => {
    const current = await tables()
    expect(current.map(({ path, text }) => [path, text])).toEqual(current.map(({ path }) => [path, textOf(path)]))
  })

  /** Codes of unnamed failures, and of a `StorageFailed` that names a cell. */
  const OF_OTHER_CLASSES = ["cell_unavailable", "internal_error"]

  it("name the class of each error in a response", () => {
    const classes = errorClasses()
    const known = new Set(classes.flatMap(({ codes }) => codes))
    expect(Object.keys(problemTable).filter((code) => !known.has(code))).toEqual(OF_OTHER_CLASSES)
    expect(classes.filter(({ says }) => says === "").map(({ name }) => name)).toEqual([])
  })
})

describe("the configuration", () => {
  /** Read, and in no table: Postgres' own, those that systemd sets, and the second provider, which has the names of the first. */
  const untold = (name: string) => /^(PGHOST|PGSSLMODE|LISTEN_FDS|LISTEN_PID|CRM_PROVIDER_TWO_\w+)$/.test(name)
  const folder = mkdtempSync(join(tmpdir(), "parley-docs-"))
  const configFile = join(folder, "config.json")
  writeFileSync(configFile, JSON.stringify({ embedding: { vendor: "openai" } }))
  afterAll(() => rmSync(folder, { recursive: true }))

  const read = [...readVariables(configFile)].filter((name) => !untold(name)).toSorted()
  const rows = describedVariables()

  it("is described variable by variable, all that is read and nothing else", () => {
    expect(rows.flatMap(({ names }) => names).toSorted()).toEqual(read)
  })

  it("is in .env.example, all that is read", () => {
    const forTests = ["CHROMIUM_PATH", "TEST_DATABASE_URL"]
    expect([...exampleVariables().keys()].filter((name) => !forTests.includes(name)).toSorted()).toEqual(read)
  })

  it("is known by name with any other settings, so that none is treated as misspelt", () => {
    for (const name of read) expect(readSettings({ [name]: "1" }, "/srv").config.unknownVariables).toEqual([])
  })

  it("has the defaults that are described: setting them changes nothing", () => {
    const literal = rows.flatMap((row) => {
      const value = /^`([^`]+)`$/.exec(row.default)?.[1]
      const [name = "", ...more] = row.names
      return value === undefined || more.length > 0 || /^[A-Z_]+$/.test(value) ? [] : [{ name, value }]
    })
    expect(literal.length).toBeGreaterThan(3)
    for (const { name, value } of literal) {
      const set = name.startsWith("CRM_") ? undefined : readSettings({ [name]: value }, "/srv").config
      expect({ name, config: set ?? "of a provider" }).toEqual({
        name,
        config: set === undefined ? "of a provider" : readSettings({}, "/srv").config
      })
    }
  })

  it("of what is on sale is described field by field, all that the file may have", () => {
    const text = textOf("packages/core/src/tiers/README.md")
    const described = (title: RegExp) => {
      const section = text.split(/^## /m).find((part) => title.test(part)) ?? ""
      const cells = [...section.matchAll(/^\| (`[^|]+`) +\|/gm)].map(([, cell = ""]) => cell)
      return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toSorted()
    }
    /** The fields of a part of the file, or of the schema of its named entries. */
    const fieldsOf = (part: unknown): ReadonlyArray<string> => {
      const { fields, schema, value } = part as {
        readonly fields?: object
        readonly schema?: object
        readonly value?: object
      }
      const inner = schema ?? value
      return fields === undefined && inner !== undefined ? fieldsOf(inner) : Object.keys(fields ?? {}).toSorted()
    }
    const { models, tiers } = CatalogOverrides.fields
    expect(described(/^A tier/)).toEqual(fieldsOf(tiers))
    expect(described(/^A model/)).toEqual(fieldsOf(models))
    expect(described(/^Visitors/)).toEqual(Object.keys(defaultCatalog.widget).toSorted())
  })
})

describe("the pages of the site", () => {
  it("link to pages, headings and files that are there", () => {
    expect(deadLinks()).toEqual([])
  })

  it.each([
    ["[holds](hold.md)", "leads to nothing"],
    ["[holds](holds.md#the-death-of-a-hold)", "names a heading"],
    ["    link: /concepts/hold", "leads to nothing"],
    ["[core](../../packages/core/REAMDE.md)", "leads to nothing"]
  ])("are said to have a dead link where they have %s", (link, problem) => {
    expect(deadLinksIn("docs/concepts/credits.md", `# Credits\n\n${link}\n`)).toEqual([
      expect.stringContaining(problem)
    ])
  })

  it("have a guide for every program in examples/, and include its code from its file", () => {
    const examples = readdirSync(join(root, "examples")).filter((name) =>
      existsSync(join(root, "examples", name, "package.json"))
    )
    const guides = new Map(sitePages().map(({ address, path }) => [address, path]))
    const missing = examples.filter((name) => {
      const path = guides.get(`guides/${name}`)
      return path === undefined || (path.startsWith("docs/") && !textOf(path).includes(`<<< @/examples/${name}/`))
    })
    expect(missing).toEqual([])
  })

  it("show code out of files that are there", () => {
    const shown = sitePages().flatMap(({ path }) =>
      [...textOf(path).matchAll(/^<<< @\/([^\s{#]+)/gm)].map(([, file = ""]) => ({ path, file }))
    )
    expect(shown.length).toBeGreaterThan(20)
    expect(shown.filter(({ file }) => !existsSync(join(root, file)))).toEqual([])
  })

  it("are each in llms.txt, and their texts with the code they show in llms-full.txt", () => {
    const list = llmsText()
    const pages = sitePages().filter(({ address }) => address !== "index" && !address.startsWith("reference/api/"))
    expect(
      pages.filter(({ address }) => !list.includes(`](/${address}.html): `)).map(({ address }) => address)
    ).toEqual([])
    const full = llmsFullText()
    expect(full.includes('import { createParley } from "@parley/core"')).toBe(true)
    expect(/^<<< @\//m.exec(full)).toBeNull()
  })
})

describe("the contract suites", () => {
  const folder = "packages/core/src/testing"
  const suites = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("Contract.ts"))
    .flatMap((name) =>
      [...textOf(`${folder}/${name}`).matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\nexport const (\w+Contract)\b/g)].map(
        ([, says = "", suite = ""]) => ({ suite, says: says.replaceAll(/\s*\n \* /g, " ") })
      )
    )
  /** It takes the tokenizer itself. */
  const opensNothing = ["tokenizerContract"]

  it("say how often they open what they test", () => {
    expect(suites.length).toBeGreaterThan(30)
    const silent = suites.filter(
      ({ says }) => !/is built once|(?:called|opened) (?:for each|once in each test)/.test(says)
    )
    expect(silent.map(({ suite }) => suite)).toEqual(opensNothing)
  })
})

describe("the page of troubleshooting", () => {
  it("has every code that a failure of the server's side is answered with, by its status", () => {
    const rows = [...textOf("docs/deploy/troubleshooting.md").matchAll(/^\| `(\w+)` +\| (\d+) /gm)]
    const answered = Object.entries(problemTable).flatMap(([code, { status }]) =>
      status >= 500 ? [[code, status]] : []
    )
    expect(new Map(rows.map(([, code, status]) => [code, Number(status)]))).toEqual(
      new Map(answered as Array<[string, number]>)
    )
  })
})
