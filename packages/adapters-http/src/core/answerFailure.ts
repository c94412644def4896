import { Cause } from "effect"
import { writeProblem } from "../answers/writeAnswer.ts"
import type { AnswerWriter } from "../exchange/AnswerWriter.ts"
import { problemFrom } from "../problems/Problem.ts"
import { problemHeaders } from "../problems/problemHeaders.ts"

/** Answers a failure with problem details. Once an answer has begun, it is cut off instead. */
export const answerFailure = (writer: AnswerWriter, cause: Cause.Cause<unknown>, requestId: string): void => {
  if (writer.state === "over") return
  if (writer.state === "begun") return writer.cut()
  const error = Cause.squash(cause)
  writeProblem(writer, problemFrom(error, requestId), problemHeaders(error))
}
