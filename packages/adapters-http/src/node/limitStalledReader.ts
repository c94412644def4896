import type { ServerResponse } from "node:http"

/**
 * Cuts off a reader who, for so many milliseconds, takes nothing of an answer that is written: until then the server
 * keeps all of it in memory.
 */
export const limitStalledReader = (response: ServerResponse, milliseconds: number): void => {
  if (response.writableFinished || response.destroyed) return
  response.setTimeout(milliseconds)
  // Before Node's own listener, which sets the time that the connection may be idle from then on.
  response.prependOnceListener("finish", () => response.setTimeout(0))
}
