/**
 * Bundles a module of a package together with the used parts of the packages that it imports. The bundle replaces the
 * module in the built package, so that users install only those parts. The licence is copied beside it. Runs in the
 * folder of the package, after `tsc`: `node bundleModule.mjs <module below src> <imported path> <its licence, beside
 * that file>`.
 */
import { copyFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, resolve } from "node:path"
import { build } from "vite"

const [module, imported, licence] = process.argv.slice(2)
const entry = resolve(module)
const outDir = resolve(dirname(module).replace(/^src\//, "dist/"))

await build({
  configFile: false,
  logLevel: "warn",
  ssr: { noExternal: true },
  build: {
    ssr: entry,
    outDir,
    emptyOutDir: false,
    minify: false,
    rolldownOptions: { output: { entryFileNames: `${basename(module, ".ts")}.js` } }
  }
})
copyFileSync(join(dirname(createRequire(entry).resolve(imported)), licence), join(outDir, "LICENSE.md"))
