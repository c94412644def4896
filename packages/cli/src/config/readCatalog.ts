import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { type CatalogData, defaultCatalog, InvalidCatalog, makeCatalog } from "@parley/core"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

/** The shipped catalog with the file named by `PARLEY_CONFIG` laid over it. */
export const readCatalog = (read: EnvironmentReader, folder: string): CatalogData => {
  const path = read.text("PARLEY_CONFIG")
  if (path === undefined) return defaultCatalog
  const overrides = readJson(read, resolve(folder, path))
  if (overrides === undefined) return defaultCatalog
  try {
    return makeCatalog(overrides.value)
  } catch (error) {
    if (!(error instanceof InvalidCatalog)) throw error
    for (const problem of error.problems) read.problem("PARLEY_CONFIG", problem)
    return defaultCatalog
  }
}

/** The parsed file; a parser's message is kept out, as it quotes what it read. */
const readJson = (read: EnvironmentReader, path: string): { readonly value: unknown } | undefined => {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch {
    read.problem("PARLEY_CONFIG", "the file cannot be read")
    return undefined
  }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    read.problem("PARLEY_CONFIG", "the file is not JSON")
    return undefined
  }
}
