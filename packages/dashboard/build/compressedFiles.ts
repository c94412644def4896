import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { extname, join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import type { Plugin } from "vite"

const COMPRESSED = new Set([".js", ".css", ".html", ".svg", ".json", ".mjs", ".md"])

/** Smaller files gain nothing. */
const LEAST_BYTES = 1_024

/** Writes a compressed copy beside each text file of the build, so that no request waits for compression. */
export const compressedFiles = (): Plugin => {
  let folder = ""
  return {
    name: "compressed-files",
    apply: "build",
    configResolved: (config) => {
      folder = join(config.root, config.build.outDir)
    },
    closeBundle: (error) => {
      // The folder may not exist after a build that failed, whose error is the one to report.
      if (error !== undefined) return
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!COMPRESSED.has(extname(name))) continue
        const bytes = readFileSync(join(folder, name))
        if (bytes.length < LEAST_BYTES) continue
        writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
        const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 }
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params: quality }))
      }
    }
  }
}
