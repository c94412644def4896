import type { ServerResponse } from "node:http"

/**
 * Disconnects a reader that reads nothing of a response for this many milliseconds: until then the server keeps the
 * response in memory.
 */
export const limitStalledReader = (response: ServerResponse, milliseconds: number): void => {
  if (response.writableFinished || response.destroyed) return
  response.setTimeout(milliseconds)
  // Before Node's own listener, which sets the time that the connection may be idle from then on.
  response.prependOnceListener("finish", () => response.setTimeout(0))
}
