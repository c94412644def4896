/**
 * Checks two rules for package-lock.json, so that `npm ci` prints no warnings and works on every platform:
 *
 * - Only the root has `engines`. npm compares them with the Node that runs npm, which may be 20; the packages run on
 *   the repository's own Node. `--write` removes the entries that `npm install` adds.
 * - Every optional package (the builds for other platforms) has an entry. npm omits the optional packages of a release
 *   that is incomplete in the registry, and `npm ci` then fails on other platforms: use another release.
 *
 * Usage: node tooling/lock.mjs [--write] (`npm run check:lock`, `npm run lock`). The exit code is 1 if a rule is
 * broken.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const path = fileURLToPath(new URL("../package-lock.json", import.meta.url))
const lock = JSON.parse(readFileSync(path, "utf8"))
const entries = Object.entries(lock.packages)

const withEngines = entries.filter(([place, entry]) => place !== "" && entry.engines !== undefined)
if (process.argv.includes("--write")) {
  for (const [, entry] of withEngines) delete entry.engines
  writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`)
} else if (withEngines.length > 0) {
  console.error(`package-lock.json states engines for ${withEngines.length} packages. Repair it with "npm run lock".`)
  process.exitCode = 1
}

const missing = entries.flatMap(([, entry]) =>
  Object.keys(entry.optionalDependencies ?? {}).filter((name) => lock.packages[`node_modules/${name}`] === undefined)
)
if (missing.length > 0) {
  console.error(`package-lock.json lacks ${missing.join(", ")}: take a release whose packages are all there.`)
  process.exitCode = 1
}
