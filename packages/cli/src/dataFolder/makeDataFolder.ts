import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { nearestThere } from "./dataFolderProblem.ts"

/**
 * Creates `folder` and its missing parents, readable by their owner only; throws the system's error. It creates one
 * level at a time, because Node's recursive creation never ends under /proc, where the system creates no folders.
 */
export const makeDataFolder = (folder: string): void => {
  const there = nearestThere(folder)
  const missing: Array<string> = []
  for (let each = folder; each !== there; each = dirname(each)) missing.unshift(each)
  for (const each of missing) {
    try {
      mkdirSync(each, { mode: 0o700 })
    } catch (error) {
      // Another process may have created the folder in the meantime.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(each).isDirectory()) throw error
    }
  }
}
