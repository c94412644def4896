import { isIPv4 } from "node:net"

/** True for names and addresses that only this machine can reach. */
export const isLoopback = (host: string): boolean => {
  const bare = host.replace(/^\[(.*)\]$/, "$1").toLowerCase()
  return bare === "localhost" || bare === "::1" || (isIPv4(bare) && bare.startsWith("127."))
}

/** The `sslmode` values with which a connection is encrypted or fails. With any other value it may be plain. */
const ENCRYPTED = new Set(["require", "verify-ca", "verify-full", "no-verify"])

/** The values of libpq's environment variables that complete a connection string. */
interface ConnectionDefaults {
  readonly host: string | undefined
  readonly sslMode: string | undefined
}

/**
 * Returns a parameter as the driver reads it: the last one counts if several have the same name, and an empty one
 * counts as missing.
 */
const parameter = (url: URL, name: string): string | undefined => url.searchParams.getAll(name).at(-1) || undefined

/** Returns the `sslmode` in force. libpq's variable counts only if the connection string has no parameter for TLS. */
const sslModeOf = (url: URL, { sslMode }: ConnectionDefaults): string | undefined =>
  parameter(url, "sslmode") ?? (url.searchParams.has("ssl") ? undefined : sslMode)

/**
 * Returns the host of a connection string if it is reached over a network; undefined for a socket and for this machine.
 */
const remoteHostOf = (url: URL, { host: fallback }: ConnectionDefaults): string | undefined => {
  const host = parameter(url, "host") ?? (url.hostname.replaceAll(/%2f/gi, "/") || fallback || "localhost")
  return host.startsWith("/") || host.startsWith("@") || isLoopback(host) ? undefined : host
}

/** True if a connection string leads over a network without required TLS. False for a socket and for this machine. */
export const isUnencrypted = (connectionString: string, defaults: ConnectionDefaults): boolean => {
  const url = URL.parse(connectionString)
  if (url === null || remoteHostOf(url, defaults) === undefined) return false
  const mode = sslModeOf(url, defaults)
  return mode === undefined ? !["true", "1"].includes(parameter(url, "ssl") ?? "") : !ENCRYPTED.has(mode)
}

/**
 * True if a connection leads over a network to a host whose certificate is not verified, so that an attacker could pose
 * as that host. A host name of one word is not checked, because it exists only in a container network or in the
 * machine's own table.
 */
export const isUnverified = (connectionString: string, defaults: ConnectionDefaults): boolean => {
  const url = URL.parse(connectionString)
  const host = url === null ? undefined : remoteHostOf(url, defaults)
  if (url === null || host === undefined || /^[\w-]+$/.test(host)) return false
  return sslModeOf(url, defaults) !== "verify-full"
}
