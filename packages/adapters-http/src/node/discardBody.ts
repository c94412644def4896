import type { IncomingMessage } from "node:http"

/** Bytes of an unneeded body that are still read, so that the client receives the response. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_MS = 10_000

/**
 * Reads and drops the rest of a body after an early answer: a connection that is closed while the client still sends
 * can lose the answer on its way. A client that sends on beyond the bounds is cut off.
 */
export const discardBody = (request: IncomingMessage): void => {
  if (request.complete || request.destroyed) return
  let dropped = 0
  const cut = () => request.destroy()
  const timer = setTimeout(cut, MAX_MS)
  timer.unref()
  request.on("data", (chunk: Buffer) => {
    dropped += chunk.byteLength
    if (dropped > MAX_BYTES) cut()
  })
  request.once("close", () => clearTimeout(timer))
  request.once("end", () => clearTimeout(timer))
  request.resume()
}
