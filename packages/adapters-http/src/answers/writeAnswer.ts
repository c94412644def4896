import { Effect } from "effect"
import type { AnswerWriter } from "../exchange/AnswerWriter.ts"
import { PROBLEM_CONTENT_TYPE, type Problem } from "../problems/Problem.ts"
import type { Coded } from "../problems/problemTable.ts"
import type { Answer, AnswerHeaders } from "./Answer.ts"
import { streamBody } from "./streamBody.ts"

const plainHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" }
const jsonHeaders = { ...plainHeaders, "content-type": "application/json; charset=utf-8" }

/** Writes a response. A streamed response ends only after its stream has finished, including its settlement. */
export const writeAnswer = (
  writer: AnswerWriter,
  answer: Answer,
  stalledReaderMs: number
): Effect.Effect<void, Coded> => {
  if (answer._tag === "json") return Effect.sync(() => writeJson(writer, answer.status, answer.body, answer.headers))
  const headers = { ...plainHeaders, ...answer.headers }
  if (answer._tag === "empty") return Effect.sync(() => writer.send(answer.status, headers))
  if (answer._tag === "bytes") {
    const { bytes, status } = answer
    return Effect.sync(() => writer.send(status, { ...headers, "content-length": String(bytes.byteLength) }, bytes))
  }
  const { status } = answer
  return answer._tag === "text-stream"
    ? streamBody({ writer, status, headers, pieces: answer.text, join: (batch) => batch.join(""), stalledReaderMs })
    : streamBody({ writer, status, headers, pieces: answer.bytes, join: Buffer.concat, stalledReaderMs })
}

/** Writes problem details with the status they name. */
export const writeProblem = (writer: AnswerWriter, problem: Problem, headers: AnswerHeaders = {}): void =>
  writeJson(writer, problem.status, problem, { "content-type": PROBLEM_CONTENT_TYPE, ...headers })

const writeJson = (writer: AnswerWriter, status: number, body: unknown, headers: AnswerHeaders): void => {
  const bytes = Buffer.from(JSON.stringify(body))
  writer.send(status, { ...jsonHeaders, "content-length": String(bytes.byteLength), ...headers }, bytes)
}
