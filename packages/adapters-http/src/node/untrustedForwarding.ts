import type { IncomingMessage } from "node:http"

/**
 * Whether a request says in `X-Forwarded-For` for whom it is forwarded, and is not believed: it counts as one of the
 * connection's own address. A proxy that names that address itself is believed or not to the same effect.
 */
export const isUntrustedForwarding = ({ headers, socket }: IncomingMessage, peerOf: () => string): boolean => {
  const forwarded = headers["x-forwarded-for"]
  if (forwarded === undefined) return false
  const own = socket.remoteAddress ?? ""
  const last = String(forwarded).split(",").at(-1)?.trim()
  return peerOf() === own && last !== own
}
