/** Writes the site's texts for programs (`llms.txt`) beside its pages. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./sitePages.ts"
import { llmsFullText, llmsText } from "./siteTexts.ts"

writeFileSync(join(root, "docs/site/dist/llms.txt"), llmsText())
writeFileSync(join(root, "docs/site/dist/llms-full.txt"), llmsFullText())
