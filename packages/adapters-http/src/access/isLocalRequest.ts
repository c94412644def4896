import type { IncomingHttpHeaders } from "node:http"
import type { Request } from "../exchange/Exchange.ts"

/**
 * Headers that proxies, tunnels and content delivery networks add, besides every header with `forwarded` in its name.
 * A browser on the server's own machine sends none of them.
 */
const FORWARDING = new Set([
  "via",
  "cdn-loop",
  "client-ip",
  "front-end-https",
  "http-client-ip",
  "proxy-client-ip",
  "true-client-ip",
  "wl-proxy-client-ip",
  "x-client-ip",
  "x-client-verify",
  "x-cloud-trace-context",
  "x-cluster-client-ip",
  "x-host",
  "x-proxyuser-ip",
  "x-real-ip",
  "x-remote-addr",
  "x-remote-ip",
  "x-request-start",
  "x-rewrite-url",
  "x-scheme"
])

/** The prefixes of headers that only one product adds. */
const FORWARDING_PREFIXES = [
  "cf-",
  "cloudfront-",
  "fastly-",
  "fly-",
  "ngrok-",
  "tailscale-",
  "x-amz-cf-",
  "x-amzn-",
  "x-appengine-",
  "x-arr-",
  "x-azure-",
  "x-envoy-",
  "x-nf-",
  "x-ngrok-",
  "x-original-",
  "x-proxy-",
  "x-vercel-"
]

/**
 * True if a request names this machine and came from it directly, not through a proxy or a tunnel on the same machine.
 * HTTP/1.0 is refused: browsers never use it, but a proxy may that replaces the Host header and adds no other header,
 * as nginx does by default.
 */
export const isLocalRequest = ({ headers, httpVersion }: Pick<Request, "headers" | "httpVersion">): boolean =>
  /^(1\.1|2|2\.0|3)$/.test(httpVersion) && isLocalHost(headers.host) && !Object.keys(headers).some(isForwarding)

/**
 * True if the sending page is on this machine or at the base URL, according to its Origin header. A proxy that replaces
 * the Host header still forwards the Origin.
 */
export const isLocalPage = ({ origin }: IncomingHttpHeaders, baseUrl: URL | undefined): boolean =>
  origin === undefined || origin === baseUrl?.origin || isLocalHost(URL.parse(origin)?.host)

const isForwarding = (name: string): boolean =>
  FORWARDING.has(name) || name.includes("forwarded") || FORWARDING_PREFIXES.some((family) => name.startsWith(family))

/** True if a Host header names this machine. False for a page of another site whose name resolves to 127.0.0.1. */
export const isLocalHost = (host: string | undefined): boolean => {
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
