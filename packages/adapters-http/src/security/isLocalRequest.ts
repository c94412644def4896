import type { IncomingHttpHeaders } from "node:http"

/**
 * What proxies, tunnels and content delivery networks add, beside every header with `forwarded` in its name. A browser
 * that asks a server on its own machine sends none of them.
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

/** The families of headers by which single products name themselves. */
const FORWARDING_FAMILIES = [
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

/** Whether a request names this machine and came from it straight, not through a proxy or a tunnel beside the server. */
export const isLocalRequest = (headers: IncomingHttpHeaders): boolean =>
  isLocalHost(headers.host) && !Object.keys(headers).some(isForwarding)

const isForwarding = (name: string): boolean =>
  FORWARDING.has(name) || name.includes("forwarded") || FORWARDING_FAMILIES.some((family) => name.startsWith(family))

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
