import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { nearestThere } from "./dataFolderProblem.ts"

/**
 * Makes `folder` and what is missing above it, for its owner alone; throws the system's error. One level at a time: under
 * /proc, where the system makes no folders, Node's recursive way turns in circles for ever.
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
