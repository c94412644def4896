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

parentPort?.on("message", (question: JsonQuestion) => parentPort?.postMessage(answer(question)))
