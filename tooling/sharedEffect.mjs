/**
 * Makes all packages use the Effect of `@parley/core`, the only package that depends on it, because services and
 * schemas of two copies of Effect do not match. In a project with Effect 4, npm shares the project's copy with
 * `@parley/core`; in a project with Effect 3, it nests one copy in `@parley/core`. If each package depended on Effect,
 * npm would nest one copy in each.
 *
 * In packed packages, `@parley/core/effect4` exports that copy, imports of `effect` become imports of it, and the other
 * packages do not depend on Effect. The sources import `effect`, like every program with Effect.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

const CORE = "@parley/core"
const ENTRY = "effect4"
/** The modules of Effect, below `effect`, that the packages and their types import. */
const MODULES = [
  ...[
    "Brand",
    "Cause",
    "Context",
    "Effect",
    "Fiber",
    "Layer",
    "Option",
    "Redacted",
    "Result",
    "Schema",
    "Scope",
    "Stream",
    "Types"
  ],
  "cli",
  "http/FetchHttpClient",
  "http/HttpClient",
  "http/HttpClientError",
  "observability/OtlpMetrics",
  "observability/OtlpSerialization",
  "observability/OtlpTracer",
  "observability/PrometheusMetrics",
  "process"
]
const names = (text) => new RegExp(`(\\bfrom |\\bimport |\\bimport\\()"${text}((?:/[\\w/]+)?)"`, "g")

/** The built files that contain imports. */
const built = () =>
  existsSync("dist")
    ? readdirSync("dist", { recursive: true })
        .filter((file) => /\.(?:js|d\.ts)$/.test(file))
        .map((file) => join("dist", file))
    : []

const rewrite = (from, to) => {
  for (const file of built()) {
    const text = readFileSync(file, "utf8")
    const written = text.replace(names(from), (_, before, below) => {
      if (below !== "" && !MODULES.includes(below.slice(1)))
        throw new Error(`${file}: MODULES lacks ${below.slice(1)}.`)
      return `${before}"${to}${below}"`
    })
    if (written !== text) writeFileSync(file, written)
  }
}

const writeEntries = () => {
  for (const name of ["index", ...MODULES]) {
    const target = name === "index" ? "effect" : `effect/${name}`
    for (const ending of [".js", ".d.ts"]) {
      const file = join("dist", ENTRY, name + ending)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `export * from "${target}"\n`)
    }
  }
}

const entry = (file) => ({ types: `./dist/${ENTRY}/${file}.d.ts`, default: `./dist/${ENTRY}/${file}.js` })

/** Makes the built files of this package import the shared Effect. Returns the manifest to publish. */
export const sharedEffect = (manifest) => {
  if (manifest.name !== CORE) {
    rewrite("effect", `${CORE}/${ENTRY}`)
    const { effect: _, ...dependencies } = manifest.dependencies ?? {}
    return { ...manifest, dependencies }
  }
  writeEntries()
  const entries = MODULES.map((name) => [`./${ENTRY}/${name}`, entry(name)])
  return {
    ...manifest,
    exports: { ...manifest.exports, [`./${ENTRY}`]: entry("index"), ...Object.fromEntries(entries) }
  }
}

/** Makes the built files import `effect` again, as in the repository. */
export const ownEffect = ({ name }) => {
  if (name === CORE) rmSync(join("dist", ENTRY), { recursive: true, force: true })
  else rewrite(`${CORE}/${ENTRY}`, "effect")
}
