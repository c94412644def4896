/**
 * Prints a software bill of materials (CycloneDX 1.5, JSON) of everything that the published packages run or contain:
 * their dependencies, and the libraries that are compiled into the dashboard and the widget. Development tools are left
 * out. Usage: npm run -s sbom
 *
 * The list is filtered here, because npm's own `--omit dev` also omits packages that a workspace lists as peers.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

const DEVELOPMENT = "cdx:npm:package:development"
/** Parley's packages that contain compiled libraries, with the folders whose files import them. */
const COMPILED = { "packages/dashboard": ["app"], "packages/widget": ["app", "src"] }

const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"))

/** The path of a dependency as Node resolves it: beside the package that depends on it, then in the folders above. */
const resolve = (from, name) => {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf("/node_modules/")))) {
    const path = `${place === "" ? "" : `${place}/`}node_modules/${name}`
    if (path in packages) return path
    if (place === "") return undefined
  }
}

const reached = new Set()
const reach = (from, names) => {
  for (const name of names) {
    const path = resolve(from, name)
    if (path === undefined || reached.has(path)) continue
    reached.add(path)
    reach(path, Object.keys(packages[path].dependencies ?? {}))
  }
}
for (const [folder, sources] of Object.entries(COMPILED)) {
  const grep = ["grep", "-hoE", '(from|import) "[^".][^"]*"', "--", ...sources.map((source) => `${folder}/${source}`)]
  const imports = execFileSync("git", grep, { encoding: "utf8" }).matchAll(/"((?:@[^/"]+\/)?[^/"]+)/g)
  const names = Object.keys(packages[folder].devDependencies ?? {})
  reach(
    folder,
    [...new Set([...imports].map(([, name]) => name))].filter((name) => names.includes(name))
  )
}

const npm = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"]
const bill = JSON.parse(execFileSync("npm", npm, { encoding: "utf8", maxBuffer: 2 ** 26 }))
const nameOf = (path) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
const compiled = new Set([...reached].map((path) => `${nameOf(path)}@${packages[path].version}`))
/** The workspaces that are not published. */
const unpublished = new Set(
  Object.keys(packages).flatMap((path) => (/^examples\/|^packages\/bench$/.test(path) ? [path.split("/")[1]] : []))
)
const isShipped = ({ name, properties = [], version }) => {
  const isDevelopment = properties.some((property) => property.name === DEVELOPMENT && property.value === "true")
  return compiled.has(`${name}@${version}`) || !(isDevelopment || unpublished.has(name))
}
const components = bill.components.filter(isShipped)
const kept = new Set([bill.metadata.component["bom-ref"], ...components.map((component) => component["bom-ref"])])
const dependencies = bill.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ dependsOn = [], ref }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }))
console.log(JSON.stringify({ ...bill, components, dependencies }, undefined, 2))
