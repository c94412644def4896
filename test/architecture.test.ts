import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { aboveDomains, coreDomains, type Rule, sourceLinesMax } from "./architecture/rules.ts"
import { describeViolation, violationsOf } from "./architecture/violations.ts"
import { type Manifest, readWorkspace, type WorkspacePackage } from "./architecture/Workspace.ts"

const core: Manifest = {
  name: "@parley/core",
  exports: { ".": {}, "./testing": {} },
  dependencies: { effect: "4.1.0" },
  peerDependencies: { vitest: "5.1.1" }
}

const storage: Manifest = {
  name: "@parley/adapters-db",
  exports: { ".": {} },
  dependencies: { "@parley/core": "0.1.0", effect: "4.1.0", pg: "8.23.1" }
}

const router: Manifest = {
  name: "@parley/adapters-http",
  exports: { ".": {} },
  dependencies: { "@parley/core": "0.1.0", express: "5.3.0" }
}

const workspaceWith = (path: string, text: string, changes: Partial<Manifest> = {}): ReadonlyArray<WorkspacePackage> =>
  [core, storage, router].map((manifest) => {
    const folder = `packages/${manifest.name.slice("@parley/".length)}`
    const isOwner = path.startsWith(`${folder}/`)
    return {
      folder,
      manifest: isOwner ? { ...manifest, ...changes } : manifest,
      sources: isOwner ? [{ path, text }] : []
    }
  })

const rulesBrokenBy = (path: string, text: string, changes?: Partial<Manifest>): ReadonlyArray<Rule> =>
  violationsOf(workspaceWith(path, text, changes)).map((violation) => violation.rule)

const inCore = "packages/core/src/credits/planted.ts"
const inStorage = "packages/adapters-db/src/planted.ts"

describe("the sources of this repository", () => {
  const root = fileURLToPath(new URL("..", import.meta.url))
  const workspace = readWorkspace(root)

  it("are really read: every package has sources", () => {
    expect(workspace.length).toBeGreaterThan(1)
    expect(workspace.filter((owner) => owner.sources.length === 0).map((owner) => owner.folder)).toEqual([])
  })

  /** What they import is not installed with the repository: the long tests compile and run them with the packed packages. */
  const builtElsewhere = ["examples/fastify", "examples/own-parts"]

  it("are all built: tsconfig.json refers to every package", () => {
    const { references } = JSON.parse(readFileSync(`${root}/tsconfig.json`, "utf8")) as {
      readonly references: ReadonlyArray<{ readonly path: string }>
    }
    const referred = references.map((reference) => reference.path)
    const folders = workspace.map((owner) => owner.folder)
    expect(folders.filter((folder) => !referred.includes(folder))).toEqual(builtElsewhere)
  })

  it("are at most fifteen in a folder", () => {
    const counts = new Map<string, number>()
    for (const path of workspace.flatMap(({ folder }) => ["src", "app"].map((name) => join(root, folder, name)))) {
      if (!existsSync(path)) continue
      for (const file of readdirSync(path, { recursive: true, encoding: "utf8" })) {
        if (!/\.(tsx?|css|js)$/.test(file)) continue
        const folder = relative(root, dirname(join(path, file)))
        counts.set(folder, (counts.get(folder) ?? 0) + 1)
      }
    }
    expect(counts.get("packages/adapters-s3/src")).toBe(3)
    const crowded = [...counts].filter(([, count]) => count > 15).map(([folder]) => folder)
    expect(crowded).toEqual([])
  })

  it("have the domains, in their order, and the rooms that ARCHITECTURE.md names", () => {
    const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8")
    const [, order = ""] = /a domain imports only those below it: `([^`]+)`/.exec(text) ?? []
    expect(order.split(" ")).toEqual(coreDomains.filter((domain) => !aboveDomains.includes(domain)))
    expect(coreDomains.filter((domain) => !text.includes(`| \`packages/core/src/${domain}\` `))).toEqual([])
  })

  it("keep every rule of ARCHITECTURE.md", () => {
    expect(violationsOf(workspace).map(describeViolation)).toEqual([])
  })
})

describe("the rules", () => {
  it("let through what keeps them", () => {
    const text = [
      `import { Effect } from "effect"`,
      `import type { Tier } from "../tiers/Tier.ts"`,
      `/** Not process.env, and no import("pg") either. */`,
      `export const at = (millis: number) => Effect.succeed(new Date(millis))`,
      `export const steps = { process: "Date.now()", fetch: 1 }`,
      `export const hash = (bytes: Uint8Array<ArrayBuffer>) => crypto.subtle.digest("SHA-256", bytes)`
    ].join("\n")
    expect(rulesBrokenBy(inCore, text)).toEqual([])
    expect(rulesBrokenBy("packages/core/src/testing/suite.ts", `import { it } from "vitest"`)).toEqual([])
    expect(rulesBrokenBy(inStorage, `import "pg"\nimport "node:fs"\nimport "@parley/core/testing"`)).toEqual([])
    const bundled = { devDependencies: { react: "19.3.1" } }
    expect(rulesBrokenBy("packages/adapters-http/app/planted.tsx", `import "react"`, bundled)).toEqual([])
    expect(rulesBrokenBy("packages/adapters-http/src/bundled/planted.ts", `import "react"`, bundled)).toEqual([])
  })

  it.each<[rule: Rule, why: string, path: string, text: string, changes?: Partial<Manifest>]>([
    [
      "arrows",
      "an adapter imports an adapter",
      inStorage,
      `import type { Router } from "@parley/adapters-http"`,
      { dependencies: { "@parley/adapters-http": "0.1.0" } }
    ],
    [
      "arrows",
      "the core imports an adapter",
      inCore,
      `export * from "@parley/adapters-db"`,
      { peerDependencies: { "@parley/adapters-db": "0.1.0" } }
    ],
    [
      "arrows",
      "an adapter declares an adapter",
      inStorage,
      "",
      { devDependencies: { "@parley/adapters-http": "0.1.0" } }
    ],
    ["arrows", "a package is in no row", inStorage, "", { name: "@parley/unheard-of" }],
    ["core-dependencies", "the core imports a vendor", inCore, `import "pg"`, { peerDependencies: { pg: "8.23.1" } }],
    ["core-dependencies", "the core imports Node", inCore, `import { readFileSync } from "node:fs"`],
    ["core-dependencies", "the core imports a vendor's type", inCore, `export type A = import("node:fs").Stats`],
    ["core-dependencies", "the core imports lazily", inCore, `export const load = () => import("node:fs")`],
    [
      "core-dependencies",
      "the core imports by a computed name",
      inCore,
      `export const load = (name: string) => import(name)`
    ],
    [
      "core-dependencies",
      "the core declares a vendor",
      inCore,
      "",
      { dependencies: { effect: "4.1.0", pg: "8.23.1" } }
    ],
    ["core-dependencies", "a service imports the test runner", inCore, `import { it } from "vitest"`],
    ["deep-import", "a path past the exports map", inStorage, `import "@parley/core/credits/price"`],
    ["deep-import", "a relative path into another package", inStorage, `import "../../core/src/index.ts"`],
    [
      "deep-import",
      "a relative path to the tests",
      inStorage,
      `import "../test/fixture.ts"\nimport "../../../test/x.ts"`
    ],
    ["domain-order", "a domain imports one above it", inCore, `import type { Chat } from "../chat/StoredChat.ts"`],
    ["domain-order", "a domain imports an entry point", inCore, `import { parleyLayer } from "../parleyLayer.ts"`],
    ["domain-order", "a folder without a place", "packages/core/src/extras/planted.ts", ""],
    ["import-cycle", "a file that imports itself", inCore, `import type { A } from "./planted.ts"`],
    ["ambient", "the environment", inCore, `export const key = process.env.KEY`],
    ["ambient", "the environment, computed", inCore, `export const key = process["env"]`],
    ["ambient", "the environment through globalThis", inCore, `export const key = globalThis.process`],
    ["ambient", "the clock", inCore, `export const now = () => Date.now()`],
    ["ambient", "the clock by constructor", inCore, `export const now = () => new Date()`],
    ["ambient", "chance", inCore, `export const pick = () => Math.random()`],
    ["ambient", "chance from crypto", inCore, `export const id = () => crypto.randomUUID()`],
    ["ambient", "a timer", inCore, `export const later = (run: () => void) => setTimeout(run, 1)`],
    ["undeclared", "a vendor that another package declares", inStorage, `import "express"`],
    [
      "undeclared",
      "a development dependency in what users install",
      inStorage,
      `import "vite"`,
      { devDependencies: { vite: "8.3.8" } }
    ],
    ["undeclared", "a package in what is bundled", "packages/adapters-http/app/planted.tsx", `import "react"`],
    ["default-export", "a default export", inStorage, `export default 1`],
    ["default-export", "a default export by name", inStorage, `const one = 1\nexport { one as default }`],
    ["file-length", "one line too many", inStorage, "\n".repeat(sourceLinesMax + 1)],
    ["empty-name", "a drawer", "packages/adapters-db/src/utils/rows.ts", ""],
    ["unreadable", "a syntax error", inStorage, `export const = 1`]
  ])("%s catches: %s", (rule, _why, path, text, changes) => {
    expect(rulesBrokenBy(path, text, changes)).toContain(rule)
  })

  it.each([
    ["values", `import { b } from "./b.ts"`],
    ["types", `import type { B } from "./b.ts"`],
    ["a type in place", `export type B = import("./b.ts").B`],
    ["exports", `export * from "./b.ts"`]
  ])("catch a cycle of imports of %s, once, with the files of it", (_what, text) => {
    const folder = "packages/core/src/credits"
    const [owner] = workspaceWith(`${folder}/a.ts`, text)
    const sources = [
      ...(owner?.sources ?? []),
      { path: `${folder}/b.ts`, text: `import type { C } from "./rules/c.ts"` },
      { path: `${folder}/rules/c.ts`, text: `import type { A } from "../a.ts"` }
    ]
    const found = violationsOf(owner === undefined ? [] : [{ ...owner, sources }])
    expect(found.map(({ rule, found }) => [rule, found])).toEqual([
      ["import-cycle", "credits/a.ts -> credits/b.ts -> credits/rules/c.ts -> credits/a.ts"]
    ])
  })

  it("say which rule broke, where, and where it is explained", () => {
    const [violation] = violationsOf(workspaceWith(inCore, `import "effect"\nimport "node:fs"`))
    expect(violation && describeViolation(violation)).toMatch(
      /^packages\/core\/src\/credits\/planted\.ts:2 \[core-dependencies\] node:fs: .* see ARCHITECTURE\.md#arrows$/
    )
  })

  it("allow a file of exactly the longest length", () => {
    expect(rulesBrokenBy(inStorage, "\n".repeat(sourceLinesMax))).toEqual([])
  })
})
