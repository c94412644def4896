import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { codeBlocks, programs, withProject } from "../tooling/docs/codeBlocks.ts"
import { type Compiled, entries, reportsOf, root, withDeclarations } from "./publicTypes/entries.ts"
import { methodsOfPorts } from "./publicTypes/ports.ts"
import { publicTypes } from "./publicTypes/report.ts"

describe("the public types", () => {
  let reports: ReturnType<typeof reportsOf>
  let problems: ReadonlyArray<string>

  beforeAll(async () => {
    const both = (compiled: Compiled) => ({ reports: reportsOf(compiled), problems: compiled.problems })
    const compiled = await withProject(programs(codeBlocks()), (project) => withDeclarations(both, project))
    reports = compiled.reports
    problems = compiled.problems
  })

  it("of every package are those its report keeps; npm run public-types writes a change that is meant", () => {
    const kept = entries.map(({ report }) => [report, readFileSync(join(root, report), "utf8")])
    expect(reports.map(({ report, text }) => [report, text])).toEqual(kept)
  })

  it("of the core stand in one entry each, and those for applications are few", () => {
    const ofCore = reports.filter(({ report }) => report.startsWith("packages/core/"))
    const exported = ofCore.map(({ text }) => text.split("\n\n")[0]?.split("\n").slice(1) ?? [])
    const names = exported.flat().map((line) => line.slice(0, line.indexOf(":")))
    expect(names.length).toBeGreaterThan(500)
    expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([])
    expect(exported[ofCore.findIndex(({ report }) => report.endsWith("/core.txt"))]?.length).toBeLessThanOrEqual(151)
  })

  it("of the ports have at most seven methods each", () => {
    const text = reports.find(({ report }) => report.endsWith("core/public-types/adapter.txt"))?.text ?? ""
    const methods = methodsOfPorts(text)
    expect(methods.size).toBeGreaterThan(30)
    expect(methods.get("SealedConnections")).toEqual(["list", "reseal", "counts"])
    expect(methods.get("Ocr")).toEqual(["recognise"])
    const wide = [...methods].filter(([, names]) => names.length > 7).map(([port]) => port)
    expect(wide).toEqual([])
  })

  it("of the core have times in one form, Unix milliseconds, but for events, which are JSON", () => {
    const text = reports.find(({ report }) => report.endsWith("core/public-types/core.txt"))?.text ?? ""
    const times = text
      .split(/[;{]/)
      .map((property) => property.trim())
      .filter((property) => /^readonly (\w+(At|Until)|asOf|now|anchor|periodStart)\??:/.test(property))
    expect(times.length).toBeGreaterThan(50)
    expect(
      times.filter(
        (property) => !/: (number|(Schema\.optional<)?Schema\.(Int|Finite)|Effect\.Effect<number)\b/.test(property)
      )
    ).toEqual([
      // A line of an import has the application's own form of a time.
      "readonly anchor: Schema.optional<Schema.NullOr<Schema.Union<readonly [Schema.Number, Schema.String]>>>",
      "readonly createdAt: string"
    ])
  })

  it("compile every block of TypeScript in the documents, each by itself", () => {
    expect(programs(codeBlocks()).length).toBeGreaterThan(12)
    expect(problems).toEqual([])
  })
})

/** The report of `index.d.ts` among these declaration files. */
const reportOf = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), "parley-declarations-"))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
    return publicTypes(join(folder, "index.d.ts"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("a report", () => {
  const files = {
    "index.d.ts": `export { type Receipt, settle } from "./credits/receipt.ts";\nexport * from "./chat.ts";`,
    "credits/receipt.d.ts":
      `import type { Price } from "./price.ts";\n` +
      `/** What a reply cost. */\nexport interface Receipt { readonly price: Price; }\n` +
      `export declare const settle: (held: number) => Receipt;\ndeclare const hidden: number;\n`,
    "credits/price.d.ts": `export interface Price { readonly output: number; }`,
    "chat.d.ts": `declare const Chat_base: import("./credits/price.ts").Price;\nexport declare class Chat extends Chat_base {}`
  }
  const before = reportOf(files)
  const after = (name: keyof typeof files, from: string, to: string) =>
    reportOf({ ...files, [name]: files[name].replace(from, to) })

  it.each([
    ["a name that is gone", "index.d.ts", ", settle", ""],
    ["a parameter", "credits/receipt.d.ts", "held: number", "held: string"],
    ["a type that an export reaches in another file", "credits/price.d.ts", "output: number", "output: string"],
    ["what a class extends", "chat.d.ts", "Chat_base: ", "Chat_base: void & "],
    ["a name that passes through a file whole", "chat.d.ts", "class Chat extends", "class Talk extends"]
  ] as const)("changes with %s", (_what, name, from, to) => {
    expect(files[name]).toContain(from)
    expect(after(name, from, to)).not.toBe(before)
  })

  it.each([
    ["a comment", "credits/receipt.d.ts", "What a reply cost.", "What it cost."],
    ["something that no export reaches", "credits/receipt.d.ts", "hidden: number", "hidden: string"]
  ] as const)("stays as it is with %s", (_what, name, from, to) => {
    expect(files[name]).toContain(from)
    expect(after(name, from, to)).toBe(before)
  })

  it("stays as it is where a file moves", () => {
    const moved = Object.fromEntries(
      Object.entries(files).map(([name, text]) => [
        name.replace("credits/price", "models/price"),
        text.replace("./price.ts", "../models/price.ts").replace("./credits/price.ts", "./models/price.ts")
      ])
    )
    expect(reportOf(moved)).toBe(before)
  })
})
