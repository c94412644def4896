import type { IncomingMessage } from "node:http"
import proxyAddr from "proxy-addr"

/**
 * Which proxies are trusted to report the client's address in `X-Forwarded-For`: none (`false`), every one (`true`), so many before
 * this server, or those at these addresses, networks or names (`loopback`, `linklocal`, `uniquelocal`), with commas.
 */
export type TrustProxy = boolean | number | string

/** Gives the function that finds the address a request came from. Throws where an address cannot be read. */
export const trustedPeer = (trust: TrustProxy = false): ((request: IncomingMessage) => string) => {
  if (trust === false) return ({ socket }) => socket.remoteAddress ?? ""
  const isTrusted = trustFunction(trust)
  // Over a Unix socket there is no address unless a proxy reports one.
  return (request) => proxyAddr(request, isTrusted) ?? ""
}

/** Whether a text names proxies that can be trusted: addresses, networks or names, and never all addresses. */
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
