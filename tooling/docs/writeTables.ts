/** Writes the reference pages that are generated from the sources: `npm run docs:tables`. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./sitePages.ts"
import { tables } from "./tables.ts"

for (const { path, text } of await tables()) writeFileSync(join(root, path), text)
