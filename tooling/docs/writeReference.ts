/** Writes the pages about the packages' exports, which the build of the site includes and git ignores. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { apiPages } from "./apiReference.ts"
import { root } from "./sitePages.ts"

const folder = join(root, "docs/reference/api")
const pages = await apiPages()
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const { name, text } of pages) writeFileSync(join(folder, `${name}.md`), text)
