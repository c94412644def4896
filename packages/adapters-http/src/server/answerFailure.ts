import type { IncomingMessage, ServerResponse } from "node:http"
import { Cause } from "effect"
import { writeProblem } from "../answers/writeAnswer.ts"
import { problemFrom } from "../problems/Problem.ts"

/** Answers a failure with problem details. Once an answer has begun, the connection is destroyed instead. */
export const answerFailure = (
  request: IncomingMessage,
  response: ServerResponse,
  cause: Cause.Cause<unknown>,
  requestId: string
): void => {
  if (response.destroyed || response.writableEnded) return
  if (response.headersSent) return cutOff(request, response)
  writeProblem(response, problemFrom(Cause.squash(cause), requestId))
}

/** Ends a connection so that the reader sees that the body is not complete. */
const cutOff = (request: IncomingMessage, response: ServerResponse): void => {
  // Before HTTP/1.1 the end of the connection is the end of the body: only a reset says otherwise.
  if (request.httpVersion === "1.0") request.socket.resetAndDestroy()
  response.destroy()
}
