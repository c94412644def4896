import type { IncomingMessage, ServerResponse } from "node:http"
import { Cause } from "effect"
import { writeProblem } from "../answers/writeAnswer.ts"
import { problemFrom } from "../problems/Problem.ts"
import { problemHeaders } from "../problems/problemHeaders.ts"

/** Answers a failure with problem details. Once an answer has begun, the connection is destroyed instead. */
export const answerFailure = (
  request: IncomingMessage,
  response: ServerResponse,
  cause: Cause.Cause<unknown>,
  requestId: string
): void => {
  if (response.destroyed || response.writableEnded) return
  if (response.headersSent) return cutOff(request, response)
  const error = Cause.squash(cause)
  writeProblem(response, problemFrom(error, requestId), problemHeaders(error))
}

/** How long the reader has to take what was written before. */
const FLUSH_MS = 5_000

/** Ends a connection so that the reader sees that the body is not complete, once what was written before is out. */
const cutOff = (request: IncomingMessage, response: ServerResponse): void => {
  const { socket } = request
  const cut = () => {
    // Before HTTP/1.1 the end of the connection is the end of the body: only a reset says otherwise.
    if (request.httpVersion === "1.0") socket.resetAndDestroy()
    response.destroy()
  }
  const flushAndCut = () => {
    const timer = setTimeout(cut, FLUSH_MS)
    socket.once("close", () => clearTimeout(timer))
    socket.write("", cut)
  }
  // A pipelined response writes nothing before its turn.
  if (response.socket === null) response.once("socket", () => process.nextTick(flushAndCut))
  else flushAndCut()
}
