import type { IncomingHttpHeaders } from "node:http"
import { Effect } from "effect"
import type { Route, RouteMatch, RouteOrigin } from "../routes/Route.ts"
import { REQUEST_ID, type Request, type ResponseHeaders } from "../exchange/Exchange.ts"
import { CrossSiteRequest } from "../problems/errors.ts"
import type { HttpOptions } from "../server/HttpOptions.ts"
import { isOrigin } from "./allowedOrigins.ts"

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"])
const OWN_FETCH_SITES = new Set(["same-origin", "none"])

/** True if a method may change something. */
export const isUnsafe = (method: string): boolean => !SAFE_METHODS.has(method)

/**
 * Refuses requests that a page of another origin makes a browser send, with the session cookie. Browsers report this
 * in `Sec-Fetch-Site` (W3C Fetch Metadata), older ones by `Origin`, which must equal the base URL, or the Host if
 * there is no base URL. A client that sends neither header is not a browser. Pages of the allowed origins of `server`
 * count as our own, unless they are left out.
 */
export const refuseCrossSite = (
  { headers }: Pick<Request, "headers">,
  { address, allowedOrigins }: { readonly address: URL | undefined; readonly allowedOrigins?: ReadonlySet<string> }
): Effect.Effect<void, CrossSiteRequest> =>
  (headers.origin !== undefined && allowedOrigins?.has(headers.origin) === true) || isOwnSite(headers, address)
    ? Effect.void
    : Effect.fail(new CrossSiteRequest())

const isOwnSite = (headers: IncomingHttpHeaders, baseUrl: URL | undefined): boolean => {
  const fetchSite = headers["sec-fetch-site"]
  if (fetchSite !== undefined) return typeof fetchSite === "string" && OWN_FETCH_SITES.has(fetchSite)
  if (headers.origin === undefined) return true
  const origin = URL.parse(headers.origin)
  if (origin === null || origin.origin !== headers.origin) return false
  if (baseUrl !== undefined) return origin.origin === baseUrl.origin
  return origin.host !== "" && origin.host === headers.host?.toLowerCase()
}

/** The rules for pages of other origins (Fetch standard, "CORS protocol"). */
export interface CrossOrigin {
  /** The headers of every response of a match. */
  headersOf(match: RouteMatch, head: Pick<Request, "headers">): ResponseHeaders
  /** The response's headers for a preflight of a request that an allowed origin may send; otherwise undefined. */
  preflightOf(match: RouteMatch, head: Pick<Request, "headers" | "method">): ResponseHeaders | undefined
}

/** Time for which a browser may cache the response to a preflight, in seconds. */
const PREFLIGHT_SECONDS = 600

/** The request headers of all routes. */
const REQUEST_HEADERS = ["authorization", "content-type", REQUEST_ID]
/** The response headers of all routes. */
const RESPONSE_HEADERS = [REQUEST_ID, "retry-after", "ratelimit", "ratelimit-policy"]

const NONE: ResponseHeaders = {}

const isForPeople = ({ access }: Route): boolean => access.isPerson === true

const listOf = (names: ReadonlyArray<string>): string => [...new Set(names)].toSorted().join(", ")

/**
 * Lets pages of `origins` call the routes of people, with credentials, and read the responses: exactly these origins,
 * and only these routes. Other origins get no CORS headers, and without allowed origins no response has any.
 */
export const crossOrigin = (origins: ReadonlySet<string>, table: ReadonlyArray<Route>): CrossOrigin => {
  const routes = table.filter(isForPeople)
  const sent = listOf([...REQUEST_HEADERS, ...routes.flatMap(({ headerParameters }) => Object.keys(headerParameters))])
  const exposed = listOf([
    ...RESPONSE_HEADERS,
    ...routes.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ headers = {} }) =>
        Object.keys(headers).filter((name) => name !== "set-cookie")
      )
    )
  ])
  const concerns = (match: RouteMatch): boolean =>
    match._tag === "route" ? isForPeople(match.route) : match.others.some(isForPeople)
  const allowedOf = ({ headers: { origin } }: Pick<Request, "headers">): string | undefined =>
    origin !== undefined && origins.has(origin) ? origin : undefined
  const shared = (origin: string) => ({
    vary: "Origin",
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true"
  })
  return {
    headersOf: (match, head) => {
      if (origins.size === 0 || !concerns(match)) return NONE
      const origin = allowedOf(head)
      return origin === undefined ? { vary: "Origin" } : { ...shared(origin), "access-control-expose-headers": exposed }
    },
    preflightOf: (match, head) => {
      const origin = allowedOf(head)
      if (origin === undefined || head.method !== "OPTIONS" || match._tag === "route") return undefined
      if (head.headers["access-control-request-method"] === undefined || !concerns(match)) return undefined
      const methods = match.others.filter(isForPeople).map(({ method }) => method)
      return {
        ...shared(origin),
        "access-control-allow-methods": listOf(methods),
        "access-control-allow-headers": sent,
        "access-control-max-age": String(PREFLIGHT_SECONDS)
      }
    }
  }
}

/** The configured origin of the routes for visitors. Throws if it is not exactly an origin, or is that of `baseUrl`. */
export const widgetOriginOf = ({ baseUrl, widgetOrigin }: Pick<HttpOptions<never>, "baseUrl" | "widgetOrigin">) => {
  if (widgetOrigin === undefined) return undefined
  if (!isOrigin(widgetOrigin)) {
    throw new TypeError(`The widget's origin ${JSON.stringify(widgetOrigin)} is not like "https://widget.example.com".`)
  }
  if (baseUrl === undefined || new URL(baseUrl).origin === widgetOrigin) {
    throw new TypeError("The widget's origin needs a `baseUrl` of another origin.")
  }
  return new URL(widgetOrigin)
}

/** True if the request names the host of that origin (RFC 9110, 7.2); a default port may be given or left out. */
export const isWidgetHost = (widgetOrigin: URL | undefined, { host }: Pick<IncomingHttpHeaders, "host">): boolean =>
  widgetOrigin !== undefined &&
  host !== undefined &&
  URL.parse(`${widgetOrigin.protocol}//${host}`)?.host === widgetOrigin.host

/** True if a route is served at the host that a request names. Without an origin for visitors, each is. */
export const isServedAt = (
  origin: RouteOrigin,
  widgetOrigin: URL | undefined,
  headers: Pick<IncomingHttpHeaders, "host">
): boolean =>
  widgetOrigin === undefined || origin === "both" || (origin === "visitors") === isWidgetHost(widgetOrigin, headers)
