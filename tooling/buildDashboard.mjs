/**
 * Builds the dashboard if it is stale: after every install, so that `npm start` needs no build, and before the tests.
 */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { buildWhereStale } from "./staleBuild.mjs"

const folder = fileURLToPath(new URL("../packages/dashboard/", import.meta.url))

/** A file of another package and those that it imports: the application has them in it. */
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
