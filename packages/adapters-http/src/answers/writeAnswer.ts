import type { ServerResponse } from "node:http"
import { Effect } from "effect"
import { PROBLEM_CONTENT_TYPE, type Problem } from "../problems/Problem.ts"
import type { Coded } from "../problems/problemTable.ts"
import type { Answer, AnswerHeaders } from "./Answer.ts"
import { streamText } from "./streamText.ts"

const plainHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

/** Puts an answer on the wire. A text stream ends the response only once it is finished, what it settles included. */
export const writeAnswer = (
  response: ServerResponse,
  answer: Answer,
  stalledReaderMs: number
): Effect.Effect<void, Coded> => {
  if (answer._tag === "json") return Effect.sync(() => writeJson(response, answer.status, answer.body, answer.headers))
  if (answer._tag === "empty") {
    return Effect.sync(() => void response.writeHead(answer.status, headersOf(answer.headers)).end())
  }
  return streamText({ response, ...answer, headers: headersOf(answer.headers), stalledReaderMs })
}

/** Writes problem details with the status they name. */
export const writeProblem = (response: ServerResponse, problem: Problem, headers: AnswerHeaders = {}): void =>
  writeJson(response, problem.status, problem, { "content-type": PROBLEM_CONTENT_TYPE, ...headers })

const writeJson = (response: ServerResponse, status: number, body: unknown, headers: AnswerHeaders): void => {
  const bytes = Buffer.from(JSON.stringify(body))
  const length = String(bytes.byteLength)
  const type = "application/json; charset=utf-8"
  response.writeHead(status, headersOf({ "content-type": type, "content-length": length, ...headers })).end(bytes)
}

const headersOf = (headers: AnswerHeaders): Record<string, string | Array<string>> => {
  const all: AnswerHeaders = { ...plainHeaders, ...headers }
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name, typeof value === "string" ? value : [...value]])
  )
}
