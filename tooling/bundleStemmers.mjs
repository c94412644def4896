/**
 * Copies the stemmers of the offline model into the built package, in place of the module that imports them: twelve
 * languages are a tenth of the size of the whole stemmer package. Adds its licence. Runs in the folder of
 * `packages/adapters-llm`, after `tsc`.
 */
import { copyFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { build } from "vite"

const entry = resolve("src/offline/bundled/stemmers.ts")
const outDir = resolve("dist/offline/bundled")

await build({
  configFile: false,
  logLevel: "warn",
  ssr: { noExternal: true },
  build: {
    ssr: entry,
    outDir,
    emptyOutDir: false,
    minify: false,
    rolldownOptions: { output: { entryFileNames: "stemmers.js" } }
  }
})
const english = createRequire(entry).resolve("@orama/stemmers/english")
copyFileSync(join(dirname(english), "../LICENSE.md"), join(outDir, "LICENSE.md"))
