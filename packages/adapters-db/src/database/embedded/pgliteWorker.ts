/**
 * The thread of an embedded database: one PGlite, which opens the requested folder and then answers each message with
 * the message's number. `engineWorker.ts` starts it; no module imports it.
 */
import { parentPort, workerData } from "node:worker_threads"
import type { PGlite } from "@electric-sql/pglite"
import { loadEngine, openPglite } from "./openPglite.ts"
import type { EngineStart } from "./engineWorker.ts"
import type { PgliteAnswer, PgliteMessage, PgliteQuestion } from "./PgliteThread.ts"

const port = parentPort
if (port === null) throw new Error("This module runs as a worker thread only.")

const loaded = (workerData as EngineStart).forFolder ? loadEngine() : undefined
let opening: Promise<PGlite> | undefined

const answerTo = async (question: PgliteQuestion): Promise<unknown> => {
  if (opening === undefined) throw new Error("No database was opened.")
  const database = await opening
  switch (question.kind) {
    case "query":
      return (await database.query(question.text, [...question.params])).rows
    case "script":
      return (await database.exec(question.text)).flatMap((result) => result.rows)
    case "dump":
      return new Uint8Array(await (await database.dumpDataDir("none")).arrayBuffer())
    case "close":
      return await database.close()
  }
}

/**
 * Replaces the error of an aborted engine. The engine aborts without a reason if the files of a folder are damaged or
 * cut short; Postgres' own code for that is XX001.
 */
const reportDamage = (error: unknown): never => {
  if (!(error instanceof WebAssembly.RuntimeError)) throw error
  throw Object.assign(new Error("The engine cannot open the files of the database."), {
    severity: "FATAL",
    code: "XX001"
  })
}

/** Returns the parts of an error that can be sent between threads. */
const report = (error: unknown) => {
  const { message, severity, code, constraint, detail } = error as Record<string, unknown>
  return { message: String(message ?? error), severity, code, constraint, detail }
}

port.on("message", (message: PgliteMessage) => {
  if ("open" in message) {
    opening = openPglite(message.open, loaded).catch(reportDamage)
    return
  }
  const { id, question } = message
  answerTo(question).then(
    (value) => port.postMessage({ id, ok: true, value } satisfies PgliteAnswer),
    (error: unknown) => port.postMessage({ id, ok: false, error: report(error) } satisfies PgliteAnswer)
  )
})
