import type { IncomingMessage, ServerResponse } from "node:http"

/** The reason of every aborted signal: a new error for each would cost more than the rest of the abort. */
const LEFT = "the client left"

/** Aborts if the connection closes before the response is complete. */
export const watchDeparture = (request: IncomingMessage, response: ServerResponse) => {
  const controller = new AbortController()
  const { socket } = request
  const onClose = () => {
    if (!response.writableFinished) controller.abort(LEFT)
  }
  // Without a listener, writing to a connection that is gone would end the process.
  request.on("error", () => undefined)
  response.on("error", () => undefined)
  response.once("close", onClose)
  // A pipelined response that waits for its turn gets no event if the connection closes.
  socket.once("close", onClose)
  if (socket.destroyed) controller.abort(LEFT)
  const stop = () => {
    response.off("close", onClose)
    socket.off("close", onClose)
  }
  return { signal: controller.signal, stop }
}
