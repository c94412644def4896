import { constants, getPriority, setPriority } from "node:os"
import { parentPort } from "node:worker_threads"
import type { JsonAnswer, JsonQuestion } from "./JsonThread.ts"
import { pruneJson } from "./pruneJson.ts"

const utf8 = new TextDecoder("utf-8", { fatal: true })

const answer = ({ bytes, shape }: JsonQuestion): JsonAnswer => {
  try {
    return { ok: true, value: pruneJson(JSON.parse(utf8.decode(bytes)), shape) }
  } catch {
    return { ok: false }
  }
}

/** So much nicer than the rest of the process. */
const NICER = 5

/** Linux counts priority by thread. Elsewhere it is the whole process's, which has to keep its own. */
const giveWay = (): void => {
  try {
    if (process.platform === "linux") setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICER))
  } catch {
    return
  }
}

giveWay()
parentPort?.on("message", (question: JsonQuestion) => parentPort?.postMessage(answer(question)))
