import { accessSync, constants, lstatSync, mkdtempSync, rmdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { databaseFolder } from "./databaseFolder.ts"

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown error"

/** True where something has this name, also a link that leads nowhere. */
const isThere = (path: string): boolean => {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    // Below a file, and where one may not look, there is something to say of what is above.
    return !["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ENAMETOOLONG"].includes(codeOf(error))
  }
}

/** What is there of `folder`: itself, or the nearest above it. */
export const nearestThere = (folder: string): string => {
  let nearest = folder
  while (!isThere(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
  return nearest
}

/** Why what is at `path` is no folder; undefined where it is one. */
const notFolder = (path: string): string | undefined => {
  try {
    return statSync(path).isDirectory() ? undefined : `${path} is not a folder`
  } catch (error) {
    const code = codeOf(error)
    return code === "ENOENT" || code === "ELOOP" ? `${path} is a link that leads nowhere` : `${path}: ${code}`
  }
}

/** Asking for rights does not tell: the system makes no folder under /proc, and root may write anywhere, it says. */
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

/** Why the data folder cannot be used, or made; undefined where it can. Leaves nothing behind. */
export const dataFolderProblem = (folder: string): string | undefined => {
  const nearest = nearestThere(folder)
  const problem = notFolder(nearest) ?? notWritable(nearest) ?? databaseProblem(databaseFolder(folder))
  if (problem !== undefined) return `the data folder ${folder} cannot be used: ${problem}`
  const longest = Math.max(...folder.split("/").map((name) => Buffer.byteLength(name)))
  return longest > 255 ? `the data folder cannot be used: a name in it is too long` : undefined
}
