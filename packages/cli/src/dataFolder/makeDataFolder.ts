import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { nearestThere } from "./dataFolderProblem.ts"

/**
 * Creates `folder` and its missing parents, for its owner only; throws the system's error. It creates one level at a
 * time: under /proc, where the system creates no folders, Node's recursive way never ends.
 */
export const makeDataFolder = (folder: string): void => {
  const there = nearestThere(folder)
  const missing: Array<string> = []
  for (let each = folder; each !== there; each = dirname(each)) missing.unshift(each)
  for (const each of missing) {
    try {
      mkdirSync(each, { mode: 0o700 })
    } catch (error) {
      // Another process made it in between.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(each).isDirectory()) throw error
    }
  }
}
