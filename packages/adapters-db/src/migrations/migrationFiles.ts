import { readdir, readFile } from "node:fs/promises"

const folder = new URL("../../migrations/", import.meta.url)

/**
 * The text of every file of SQL by its name, in order. In the published package this module contains the texts
 * (`tooling/inlineMigrations.mjs`), so that a bundled program has them too.
 */
export const migrationFiles = async (): Promise<ReadonlyMap<string, string>> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted()
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, folder), "utf8")] as const))
  )
}
