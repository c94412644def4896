/**
 * Builds the dashboard if its sources have changed since the last build. Runs after every install, so that `npm start`
 * needs no build, and before the tests.
 */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { buildWhereStale } from "./staleBuild.mjs"

const folder = fileURLToPath(new URL("../packages/dashboard/", import.meta.url))

/** Returns a file of another package and the files that it imports, because the built application contains them. */
const withImports = (path, found = new Set()) => {
  if (found.has(path)) return found
  found.add(path)
  for (const [, name] of readFileSync(path, "utf8").matchAll(/ from "(\.[^"]+)"/g))
    withImports(join(dirname(path), name), found)
  return found
}

export const buildDashboard = () =>
  buildWhereStale({
    name: "dashboard",
    folder,
    sources: [
      ...["app", "build", "vite.config.ts", "package.json"].map((name) => join(folder, name)),
      ...withImports(join(folder, "../core/src/reading.ts")),
      ...withImports(join(folder, "../client/src/index.ts"))
    ]
  })

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildDashboard()
