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

/** True if a connection string leads over a network without required TLS. A socket and this machine do not. */
export const isUnencrypted = (connectionString: string, defaults: ConnectionDefaults): boolean => {
  const url = URL.parse(connectionString)
  if (url === null) return false
  const { searchParams } = url
  const host = searchParams.get("host") ?? (url.hostname.replaceAll(/%2f/gi, "/") || defaults.host || "localhost")
  if (host.startsWith("/") || host.startsWith("@") || isLoopback(host)) return false
  if (["true", "1"].includes(searchParams.get("ssl") ?? "")) return false
  return !ENCRYPTED.has(searchParams.get("sslmode") ?? defaults.sslMode ?? "")
}
