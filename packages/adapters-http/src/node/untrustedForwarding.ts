import type { IncomingMessage } from "node:http"

/**
 * True if a request has an untrusted `X-Forwarded-For`: it counts as one of the connection's own address. If a proxy
 * forwards exactly that address, trusting it makes no difference.
 */
export const isUntrustedForwarding = ({ headers, socket }: IncomingMessage, peerOf: () => string): boolean => {
  const forwarded = headers["x-forwarded-for"]
  if (forwarded === undefined) return false
  const own = socket.remoteAddress ?? ""
  const last = String(forwarded).split(",").at(-1)?.trim()
  return peerOf() === own && last !== own
}
