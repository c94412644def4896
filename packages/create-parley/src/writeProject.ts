import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** The folder already contains files, so nothing was written. */
export class FolderNotEmpty extends Error {
  constructor(folder: string) {
    super(`The folder ${folder} is not empty. Choose another one.`)
  }
}

/** Writes files into a new or empty folder. */
export const writeProject = (folder: string, files: ReadonlyMap<string, string>): void => {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new FolderNotEmpty(folder)
  for (const [path, text] of files) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    // `.env` contains a secret, so only its owner may read it.
    writeFileSync(file, text, { mode: path === ".env" ? 0o600 : 0o644 })
  }
}
