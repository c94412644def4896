import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import type { EnvironmentReader } from "../EnvironmentReader.ts"

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** The start of an SVG file: the root element after a declaration, comments and a document type. */
const SVG = /^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>]/i

const typeOf = (bytes: Buffer): string | undefined => {
  if (bytes.subarray(0, PNG.length).equals(PNG)) return "image/png"
  return SVG.test(bytes.toString("utf8")) ? "image/svg+xml" : undefined
}

/**
 * The picture at the path that the variable contains, as a `data:` URL. The schema of the setting checks its type and
 * size.
 */
export const readPicture = (read: EnvironmentReader, name: string, folder: string): string | undefined => {
  const path = read.text(name)
  if (path === undefined) return undefined
  try {
    const bytes = readFileSync(resolve(folder, path))
    return `data:${typeOf(bytes) ?? ""};base64,${bytes.toString("base64")}`
  } catch {
    read.problem(name, "the file cannot be read")
    return undefined
  }
}
