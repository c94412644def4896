import type { IncomingHttpHeaders } from "node:http"

/** What proxies and tunnels add. A browser that asks a server on its own machine sends none of them. */
const FORWARDING = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"]

/** Whether a request names this machine and came from it straight, not through a proxy or a tunnel beside the server. */
export const isLocalRequest = (headers: IncomingHttpHeaders): boolean =>
  isLocalHost(headers.host) && FORWARDING.every((name) => headers[name] === undefined)

/** Whether a Host header names this machine: a page of another site that resolves to 127.0.0.1 does not pass. */
const isLocalHost = (host: string | undefined): boolean => {
  const url = host === undefined || /[/?#@\\]/.test(host) ? null : URL.parse(`http://${host}/`)
  if (url === null) return false
  const { hostname } = url
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  )
}
