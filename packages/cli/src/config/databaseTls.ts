import { isIPv4 } from "node:net"

/** True for names and addresses that only this machine can reach. */
export const isLoopback = (host: string): boolean => {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase()
  return bare === "localhost" || bare === "::1" || (isIPv4(bare) && bare.startsWith("127."))
}

/** Modes in which a connection is encrypted or fails: with the others it is plain, or may become so. */
const ENCRYPTED = new Set(["require", "verify-ca", "verify-full", "no-verify"])

/** Values that libpq's variables add to a connection string. */
interface ConnectionDefaults {
  readonly host: string | undefined
  readonly sslMode: string | undefined
}

/** The host of a connection string over a network; undefined for a socket and for this machine. */
const remoteHostOf = (url: URL, { host: fallback }: ConnectionDefaults): string | undefined => {
  const host = url.searchParams.get("host") ?? (url.hostname.replaceAll(/%2f/gi, "/") || fallback || "localhost")
  return host.startsWith("/") || host.startsWith("@") || isLoopback(host) ? undefined : host
}

/** True if a connection string leads over a network without required TLS. A socket and this machine do not. */
export const isUnencrypted = (connectionString: string, defaults: ConnectionDefaults): boolean => {
  const url = URL.parse(connectionString)
  if (url === null || remoteHostOf(url, defaults) === undefined) return false
  if (["true", "1"].includes(url.searchParams.get("ssl") ?? "")) return false
  return !ENCRYPTED.has(url.searchParams.get("sslmode") ?? defaults.sslMode ?? "")
}

/**
 * True if a connection string leads to a host that others could pose as: over a network, without a certificate that is
 * verified for its name. A name of one word exists only in a network of containers or in the machine's own table.
 */
export const isUnverified = (connectionString: string, defaults: ConnectionDefaults): boolean => {
  const url = URL.parse(connectionString)
  const host = url === null ? undefined : remoteHostOf(url, defaults)
  if (url === null || host === undefined || /^[\w-]+$/.test(host)) return false
  return (url.searchParams.get("sslmode") ?? defaults.sslMode) !== "verify-full"
}
