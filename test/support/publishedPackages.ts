import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const folder = fileURLToPath(new URL("../../packages", import.meta.url))

const isPublished = (name: string): boolean => {
  const manifest = `${folder}/${name}/package.json`
  if (!existsSync(manifest)) return false
  const read = JSON.parse(readFileSync(manifest, "utf8")) as { readonly name: string; readonly private?: boolean }
  return read.private !== true && read.name === `@parley/${name}`
}

/** The folders of the published packages of the scope: all but `create-parley`, which `npm create` runs. */
export const published: ReadonlyArray<string> = readdirSync(folder).filter(isPublished).toSorted()
