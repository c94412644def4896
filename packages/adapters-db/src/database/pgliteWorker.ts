/**
 * The embedded database's own thread: one PGlite, asked by messages and answering each with its number. Run by
 * `PgliteThread`, never imported.
 */
import { parentPort, workerData } from "node:worker_threads"
import { PGlite, type PGliteOptions } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import type { PgliteAnswer, PgliteQuestion, PgliteThreadOptions } from "./PgliteThread.ts"
import { EMBEDDED_SESSION } from "./sessionSettings.ts"

const port = parentPort
if (port === null) throw new Error("This module runs as a worker thread only.")

const { dataDir, prepared } = workerData as PgliteThreadOptions

const options: PGliteOptions = {
  extensions: { vector },
  ...(dataDir === undefined ? {} : { dataDir }),
  ...(prepared === undefined ? {} : { loadDataDir: new Blob([prepared]) })
}
const open = async () => {
  const database = await PGlite.create(options)
  await database.exec(EMBEDDED_SESSION)
  return database
}
const opening = open()

const answerTo = async (question: PgliteQuestion): Promise<unknown> => {
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

/** The parts of an error that survive the way between threads. */
const report = (error: unknown) => {
  const { message, severity, code, constraint, detail } = error as Record<string, unknown>
  return { message: String(message ?? error), severity, code, constraint, detail }
}

port.on("message", (question: PgliteQuestion) => {
  answerTo(question).then(
    (value) => port.postMessage({ id: question.id, ok: true, value } satisfies PgliteAnswer),
    (error: unknown) => port.postMessage({ id: question.id, ok: false, error: report(error) } satisfies PgliteAnswer)
  )
})
