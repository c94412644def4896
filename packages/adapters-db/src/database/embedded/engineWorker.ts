import { Worker } from "node:worker_threads"

/** The start data of a thread: `forFolder` is true if its database will be in a folder. */
export interface EngineStart {
  readonly forFolder: boolean
}

/**
 * The module that the thread runs, beside this one: its TypeScript source if this module is a source, otherwise its
 * compiled form.
 */
const entry = new URL(`./pgliteWorker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url)

const start = (workerData: EngineStart): Worker => {
  const worker = new Worker(entry, { workerData, name: "parley-database" })
  // An idle database does not keep the process alive; a request that waits for its answer does.
  worker.unref()
  return worker
}

let ahead: Worker | undefined

/**
 * Starts the thread of an embedded database before the folder of the database is known, so that the engine is loaded
 * early. The next database in a folder uses this thread. The function itself opens and locks nothing.
 */
export const startEngine = (): void => {
  if (ahead !== undefined) return
  const worker = start({ forFolder: true })
  ahead = worker
  // If this thread cannot run, nothing fails yet: another thread is started when a database is opened, and reports the
  // reason.
  const failed = () => {
    if (ahead === worker) ahead = undefined
  }
  worker.on("error", failed)
  worker.once("exit", failed)
}

/**
 * Returns a thread that waits for the database to open: the one that `startEngine` has started if it fits, or a new
 * one.
 */
export const takeEngine = (options: EngineStart): Worker => {
  if (!options.forFolder || ahead === undefined) return start(options)
  const worker = ahead
  ahead = undefined
  return worker
}
