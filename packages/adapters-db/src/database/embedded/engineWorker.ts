import { Worker } from "node:worker_threads"

/** The data of a thread at its start: true if its database will be in a folder. */
export interface EngineStart {
  readonly forFolder: boolean
}

/** The entry beside this module: a source if this is one, otherwise compiled. */
const entry = new URL(`./pgliteWorker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url)

const start = (workerData: EngineStart): Worker => {
  const worker = new Worker(entry, { workerData, name: "parley-database" })
  // An idle database does not keep a process alive; a question that waits for its answer does.
  worker.unref()
  return worker
}

let ahead: Worker | undefined

/**
 * Starts the thread of an embedded database in a folder before the folder is known: it loads the engine meanwhile, and
 * the next database in a folder is opened in it. It opens and locks nothing itself.
 */
export const startEngine = (): void => {
  if (ahead !== undefined) return
  const worker = start({ forFolder: true })
  ahead = worker
  // One that cannot run is no failure yet: another is started when a database is opened, and says why.
  const failed = () => {
    if (ahead === worker) ahead = undefined
  }
  worker.on("error", failed)
  worker.once("exit", failed)
}

/** A thread that waits for the folder to open. */
export const takeEngine = (options: EngineStart): Worker => {
  if (!options.forFolder || ahead === undefined) return start(options)
  const worker = ahead
  ahead = undefined
  return worker
}
