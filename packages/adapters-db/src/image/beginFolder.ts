import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs"
import { dirname } from "node:path"

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

const isEmpty = (folder: string): boolean => {
  try {
    return readdirSync(folder).length === 0
  } catch (error) {
    if (codeOf(error) === "ENOENT") return true
    throw error
  }
}

/** Removes `folder`, which is empty; false if it has to stay, as a volume that is mounted there has. */
const makeWay = (folder: string): boolean => {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return codeOf(error) === "ENOENT"
  }
}

/**
 * Makes the database folder `folder` where nothing is there yet, whole or not at all: `make` makes it under another name
 * beside it, and it takes its own when it is done. What a process that died had begun is made anew. A folder with
 * anything in it stays as it is. One that cannot be replaced, since it is a volume, is made in place.
 *
 * Returns true if it was made now. The folder is to be locked.
 */
export const beginFolder = async (folder: string, make: (folder: string) => unknown): Promise<boolean> => {
  if (!isEmpty(folder)) return false
  const begun = `${folder}.new`
  rmSync(begun, { recursive: true, force: true })
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
  if (!makeWay(folder)) {
    await make(folder)
    return true
  }
  try {
    await make(begun)
    renameSync(begun, folder)
  } catch (error) {
    rmSync(begun, { recursive: true, force: true })
    throw error
  }
  return true
}
