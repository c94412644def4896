import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { emptyState, type StandInState } from "./books/StandInState.ts"

/** The store of a stand-in's state. */
export interface StandInStore {
  readonly load: () => StandInState
  readonly save: (state: StandInState) => void
}

/** Stores the state in the memory of the process. */
export const memoryStore = (): StandInStore => ({ load: emptyState, save: () => undefined })

const stateIn = (text: string, path: string): StandInState => {
  try {
    const state = JSON.parse(text) as StandInState
    if (state.version === 1) return state
  } catch {
    // The error follows below.
  }
  throw new Error(`${path} is no file of a stand-in payment provider. Delete it to begin a new one.`)
}

/** Stores the state in one file, which is replaced as a whole. Only one process may use the file at a time. */
export const fileStore = (path: string): StandInStore => ({
  load: () => {
    let text: string
    try {
      text = readFileSync(path, "utf8")
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return emptyState()
      throw error
    }
    return stateIn(text, path)
  },
  save: (state) => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(`${path}.new`, JSON.stringify(state), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }
})
