import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))

interface Component {
  readonly name: string
  readonly version: string
  readonly licenses?: ReadonlyArray<{ readonly license?: { readonly id?: string }; readonly expression?: string }>
}

const components = (
  JSON.parse(execFileSync(process.execPath, ["tooling/sbom.mjs"], { cwd: root, encoding: "utf8" })) as {
    readonly components: ReadonlyArray<Component>
  }
).components

/** Licences that may be shipped with a product under the MIT licence; an expression is allowed if a choice or all of it is. */
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Unlicense",
  "Zlib"
])
/** Packages whose manifest states the MIT licence in a form that npm does not read. */
const STATED_OTHERWISE = ["busboy", "duck", "streamsearch"]

const isAllowed = (expression: string): boolean => {
  const choices = expression.replaceAll(/[()]/g, "").split(" OR ")
  return choices.some((choice) => choice.split(" AND ").every((licence) => ALLOWED.has(licence.trim())))
}

const folders = readdirSync(join(root, "packages")).filter((name) => name !== "bench")

it.each(folders)("the bill of materials names every dependency of packages/%s, with its version", (folder) => {
  const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as {
    readonly dependencies?: Record<string, string>
    readonly peerDependencies?: Record<string, string>
    readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>
  }
  const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  // An optional peer is shipped by the application that installs it.
  const isOptional = (name: string) => manifest.peerDependenciesMeta?.[name]?.optional === true
  const foreign = names.filter((name) => !name.startsWith("@parley/") && !isOptional(name))
  const known = new Map(components.map(({ name, version }) => [name, version]))
  expect(foreign.filter((name) => !/^\d+\.\d+/.test(known.get(name) ?? ""))).toEqual([])
})

it("contains the compiled libraries of the dashboard, and no development tool", () => {
  const names = new Set(components.map(({ name }) => name))
  for (const name of ["react", "@mantine/core", "@tanstack/react-query"]) expect(names).toContain(name)
  for (const name of ["vite", "vitest", "oxlint", "typescript", "playwright-core"]) expect(names).not.toContain(name)
})

it("contains no component whose licence is unknown or not allowed", () => {
  const licenceOf = ({ licenses = [] }: Component) =>
    licenses.map(({ expression, license }) => expression ?? license?.id ?? "").join(" AND ")
  const refused = components.filter(
    (component) => !STATED_OTHERWISE.includes(component.name) && !isAllowed(licenceOf(component))
  )
  expect(refused.map((component) => `${component.name}: ${licenceOf(component)}`)).toEqual([])
})
