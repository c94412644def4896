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

/** The driver takes the last one of several parameters of a name, and an empty one as none. */
const parameter = (url: URL, name: string): string | undefined => url.searchParams.getAll(name).at(-1) || undefined

/** The mode in force: libpq's variable counts only if the address says nothing about TLS. */
const sslModeOf = (url: URL, { sslMode }: ConnectionDefaults): string | undefined =>
  parameter(url, "sslmode") ?? (url.searchParams.has("ssl") ? undefined : sslMode)

/** The host of a connection string over a network; undefined for a socket and for this machine. */
const remoteHostOf = (url: URL, { host: fallback }: ConnectionDefaults): string | undefined => {
  const host = parameter(url, "host") ?? (url.hostname.replaceAll(/%2f/gi, "/") || fallback || "localhost")
  return host.startsWith("/") || host.startsWith("@") || isLoopback(host) ? undefined : host
}

/** True if a connection string leads over a network without required TLS. A socket and this machine do not. */
export const isUnencrypted = (connectionString: string, defaults: ConnectionDefaults): boolean => {
  const url = URL.parse(connectionString)
  if (url === null || remoteHostOf(url, defaults) === undefined) return false
  const mode = sslModeOf(url, defaults)
  return mode === undefined ? !["true", "1"].includes(parameter(url, "ssl") ?? "") : !ENCRYPTED.has(mode)
}

/**
 * True if a connection string leads to a host that others could pose as: over a network, without a certificate that is
 * verified for its name. A name of one word exists only in a network of containers or in the machine's own table.
 */
export const isUnverified = (connectionString: string, defaults: ConnectionDefaults): boolean => {
  const url = URL.parse(connectionString)
  const host = url === null ? undefined : remoteHostOf(url, defaults)
  if (url === null || host === undefined || /^[\w-]+$/.test(host)) return false
  return sslModeOf(url, defaults) !== "verify-full"
}
