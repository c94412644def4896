import { accessSync, constants, lstatSync, mkdtempSync, rmdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { databaseFolder } from "./databaseFolder.ts"

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown error"

/** True if something with this name exists, even a dangling link. */
const isThere = (path: string): boolean => {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    // A path below a file, or without access, also counts as missing: the nearest existing folder above it explains the
    // problem.
    return !["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ENAMETOOLONG"].includes(codeOf(error))
  }
}

/** Returns the path itself if it exists, otherwise the nearest existing path above it. */
export const nearestThere = (folder: string): string => {
  let nearest = folder
  while (!isThere(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
  return nearest
}

/** Returns the reason why `path` is not a folder; undefined if it is a folder. */
const notFolder = (path: string): string | undefined => {
  try {
    return statSync(path).isDirectory() ? undefined : `${path} is not a folder`
  } catch (error) {
    const code = codeOf(error)
    return code === "ENOENT" || code === "ELOOP" ? `${path} is a link that leads nowhere` : `${path}: ${code}`
  }
}

/**
 * Returns the reason why a folder cannot be written. It creates a folder inside as a trial, because checking rights is
 * unreliable: /proc accepts no folders, and the system reports that root may write anywhere.
 */
const notWritable = (folder: string): string | undefined => {
  try {
    rmdirSync(mkdtempSync(join(folder, ".parley-")))
    return undefined
  } catch (error) {
    const code = codeOf(error)
    return `nothing can be written in ${folder} (${code})`
  }
}

const databaseProblem = (path: string): string | undefined => {
  if (!isThere(path)) return undefined
  const problem = notFolder(path)
  if (problem !== undefined) return problem
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return `nothing can be written in ${path} (${codeOf(error)})`
  }
}

/**
 * Returns the reason why the data folder cannot be used or created; undefined if it can. The trial leaves nothing
 * behind.
 */
export const dataFolderProblem = (folder: string): string | undefined => {
  const nearest = nearestThere(folder)
  const problem = notFolder(nearest) ?? notWritable(nearest) ?? databaseProblem(databaseFolder(folder))
  if (problem !== undefined) return `the data folder ${folder} cannot be used: ${problem}`
  const longest = Math.max(...folder.split("/").map((name) => Buffer.byteLength(name)))
  return longest > 255 ? `the data folder cannot be used: a name in it is too long` : undefined
}
