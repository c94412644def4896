import type { IncomingHttpHeaders } from "node:http"
import { Effect } from "effect"
import { CrossSiteRequest } from "../problems/errors.ts"

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"])
const OWN_FETCH_SITES = new Set(["same-origin", "none"])

/** True if a method may change something. */
export const isUnsafe = (method: string): boolean => !SAFE_METHODS.has(method)

/**
 * Refuses requests that a page of another origin makes a browser send, with the session cookie. Browsers report this
 * in `Sec-Fetch-Site` (W3C Fetch Metadata), older ones by `Origin`, which must equal the base URL, or the Host if
 * there is no base URL. A client that sends neither header is not a browser. Pages of `allowed` origins count as our
 * own.
 */
export const refuseCrossSite = (
  headers: IncomingHttpHeaders,
  baseUrl: URL | undefined,
  allowed: ReadonlySet<string> = NO_ORIGINS
): Effect.Effect<void, CrossSiteRequest> =>
  (headers.origin !== undefined && allowed.has(headers.origin)) || isOwnSite(headers, baseUrl)
    ? Effect.void
    : Effect.fail(new CrossSiteRequest())

const NO_ORIGINS: ReadonlySet<string> = new Set()

const isOwnSite = (headers: IncomingHttpHeaders, baseUrl: URL | undefined): boolean => {
  const fetchSite = headers["sec-fetch-site"]
  if (fetchSite !== undefined) return typeof fetchSite === "string" && OWN_FETCH_SITES.has(fetchSite)
  if (headers.origin === undefined) return true
  const origin = URL.parse(headers.origin)
  if (origin === null || origin.origin !== headers.origin) return false
  if (baseUrl !== undefined) return origin.origin === baseUrl.origin
  return origin.host !== "" && origin.host === headers.host?.toLowerCase()
}
