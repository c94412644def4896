import type { IncomingMessage, ServerResponse } from "node:http"

/** Given to every signal: the error that would be made for each otherwise costs more than the rest of a departure. */
const LEFT = "the client left"

/** Aborts where the connection closes before the response is complete. */
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
  // A pipelined response that waits for its turn gets no event where the connection closes.
  socket.once("close", onClose)
  if (socket.destroyed) controller.abort(LEFT)
  const stop = () => {
    response.off("close", onClose)
    socket.off("close", onClose)
  }
  return { signal: controller.signal, stop }
}
