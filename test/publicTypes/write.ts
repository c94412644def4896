/** Writes the public types of every package into the files that keep them: `npm run public-types`. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { reportsOf, root, withDeclarations } from "./entries.ts"

for (const { report, text } of await withDeclarations(reportsOf)) {
  mkdirSync(dirname(join(root, report)), { recursive: true })
  writeFileSync(join(root, report), text)
}
