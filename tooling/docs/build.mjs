/**
 * Builds the website of the documents into docs/site/dist: `npm run docs`. The site's builder is large and not part of
 * the repository's install, so the first run installs it in docs/site, from a separate lock file. If PARLEY_SOURCES_URL
 * is set, links to files without a page lead below that address; otherwise these links are removed.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
const site = join(root, "docs/site")

const run = (program, args, cwd) => {
  const { error, status } = spawnSync(program, args, { cwd, stdio: "inherit" })
  if (error !== undefined) throw error
  if (status !== 0) process.exit(status ?? 1)
}

const installed = () => {
  const manifest = join(site, "node_modules/vitepress/package.json")
  const { version } = JSON.parse(readFileSync(join(site, "package-lock.json"), "utf8")).packages[
    "node_modules/vitepress"
  ]
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version
}

const written = ["--conditions=@parley/source", "--disable-warning=ExperimentalWarning"]

if (!installed()) run("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], site)
run(process.execPath, [...written, "tooling/docs/writeReference.ts"], root)
run(process.execPath, ["node_modules/vitepress/bin/vitepress.js", "build", "."], site)
run(process.execPath, [...written, "tooling/docs/writeTexts.ts"], root)
