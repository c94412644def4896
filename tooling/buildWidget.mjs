/**
 * Builds the widget if its sources have changed since the last build. Runs after every install, so that the server can
 * send the widget's files, and before the tests.
 */
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { buildWhereStale } from "./staleBuild.mjs"

const folder = fileURLToPath(new URL("../packages/widget/", import.meta.url))

export const buildWidget = () =>
  buildWhereStale({
    name: "widget",
    folder,
    sources: ["app", "src/host", "vite.config.ts", "package.json"].map((name) => join(folder, name)),
    modes: ["frame", "loader"]
  })

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildWidget()
