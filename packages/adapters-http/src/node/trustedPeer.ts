import type { IncomingMessage } from "node:http"
import proxyAddr from "proxy-addr"

/**
 * Proxies that are trusted to report the client's address in `X-Forwarded-For`: none (`false`), all (`true`), this
 * many before the server, or those at these addresses, networks or names (`loopback`, `linklocal`, `uniquelocal`),
 * separated by commas.
 */
export type TrustProxy = boolean | number | string

/** Returns a function that finds the client's address of a request. Throws if an address is invalid. */
export const trustedPeer = (trust: TrustProxy = false): ((request: IncomingMessage) => string) => {
  if (trust === false) return ({ socket }) => socket.remoteAddress ?? ""
  const isTrusted = trustFunction(trust)
  // Over a Unix socket there is no address unless a proxy reports one.
  return (request) => proxyAddr(request, isTrusted) ?? ""
}

/** True if a text names proxies that can be trusted: addresses, networks or names, and never all addresses. */
export const isTrustProxy = (addresses: string): boolean => {
  try {
    trustFunction(addresses)
    return true
  } catch {
    return false
  }
}

const trustFunction = (trust: TrustProxy): ((address: string, hop: number) => boolean) => {
  if (typeof trust === "boolean") return () => trust
  if (typeof trust === "number") return (_address, hop) => hop < trust
  return proxyAddr.compile(trust.split(",").map((each) => each.trim()))
}
