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

/**
 * Removes the empty folder `folder`; returns false if it cannot be removed, for example because a volume is mounted
 * there.
 */
const makeWay = (folder: string): boolean => {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return codeOf(error) === "ENOENT"
  }
}

/**
 * Creates the database folder `folder` if it is missing or empty, either completely or not at all: `make` fills a
 * temporary folder beside it, which is renamed at the end. An unfinished temporary folder of a dead process is
 * replaced. A folder with content stays as it is. A folder that cannot be replaced, because it is a mounted volume, is
 * filled in place.
 *
 * Returns true if this call has created the database folder. The caller must hold the lock of `folder`.
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
