import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../../packages", import.meta.url))

const isPublished = (name: string): boolean => {
  const manifest = `${folder}/${name}/package.json`
  return existsSync(manifest) && !("private" in (JSON.parse(readFileSync(manifest, "utf8")) as object))
}

/** The folders of the packages that are published. */
export const published: ReadonlyArray<string> = readdirSync(folder).filter(isPublished).toSorted()
