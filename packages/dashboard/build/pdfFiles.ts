import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Plugin } from "vite"

const installed = createRequire(import.meta.url).resolve("pdfjs-dist/package.json")

/**
 * The address of the files that pdf.js loads by itself. It contains the version, so the files under it never change.
 */
const { version } = JSON.parse(readFileSync(installed, "utf8")) as { readonly version: string }
const PDF_FILES = `assets/pdfjs-${version}/`

/**
 * Fonts that documents may leave out, tables of characters, colour profiles, and decoders of images: those in plain
 * script, as the page's policy runs no WebAssembly. With their licences.
 */
const isServed = (folder: string, name: string): boolean =>
  folder !== "wasm" || name.endsWith("_nowasm_fallback.js") || name.startsWith("LICENSE")

const filesOf = (folder: string): ReadonlyArray<{ readonly name: string; readonly path: string }> =>
  readdirSync(join(dirname(installed), folder))
    .filter((name) => isServed(folder, name))
    .map((name) => ({ name: `${folder}/${name}`, path: join(dirname(installed), folder, name) }))

/** Adds to the build the files that pdf.js loads when a document needs them. */
export const pdfFiles = (): Plugin => {
  const files = ["cmaps", "standard_fonts", "iccs", "wasm"].flatMap(filesOf)
  return {
    name: "pdf-files",
    config: () => ({ define: { __PDF_FILES__: JSON.stringify(`/${PDF_FILES}`) } }),
    configureServer: (server) => {
      server.middlewares.use(`/${PDF_FILES}`, (request, response, next) => {
        const file = files.find(({ name }) => `/${name}` === request.url)
        if (file === undefined) return next()
        response.end(readFileSync(file.path))
      })
    },
    generateBundle() {
      for (const { name, path } of files) {
        this.emitFile({ type: "asset", fileName: PDF_FILES + name, source: readFileSync(path) })
      }
    }
  }
}
