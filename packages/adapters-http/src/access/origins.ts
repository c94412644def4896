import type { IncomingHttpHeaders } from "node:http"
import { Effect } from "effect"
import type { Route, RouteMatch, RouteOrigin } from "../routes/Route.ts"
import { REQUEST_ID, type Request, type ResponseHeaders } from "../exchange/Exchange.ts"
import { CrossSiteRequest } from "../problems/errors.ts"
import type { HttpOptions } from "../server/HttpOptions.ts"
import { isOrigin } from "./allowedOrigins.ts"

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"])
const OWN_FETCH_SITES = new Set(["same-origin", "none"])

/** True if requests with this method may change data. */
export const isUnsafe = (method: string): boolean => !SAFE_METHODS.has(method)

/**
 * Refuses requests with the session cookie that a page of another origin makes a browser send. Browsers report the
 * page's site in `Sec-Fetch-Site` (W3C Fetch Metadata), older browsers in `Origin`, which must equal the base URL, or
 * the Host if there is no base URL. A client that sends neither header is not a browser. Pages of the server's allowed
 * origins are accepted, too, unless the caller leaves them out.
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
  /** Returns the CORS headers of every response to the matched route. */
  headersOf(match: RouteMatch, head: Pick<Request, "headers">): ResponseHeaders
  /** Returns the headers that answer a preflight if an allowed origin may send the request; otherwise undefined. */
  preflightOf(match: RouteMatch, head: Pick<Request, "headers" | "method">): ResponseHeaders | undefined
}

/** Time for which a browser may cache the response to a preflight, in seconds. */
const PREFLIGHT_SECONDS = 600

/** The request headers that every route accepts from pages of other origins. */
const REQUEST_HEADERS = ["authorization", "content-type", REQUEST_ID]
/** The response headers of every route that pages of other origins may read. */
const RESPONSE_HEADERS = [REQUEST_ID, "retry-after", "ratelimit", "ratelimit-policy"]

const NONE: ResponseHeaders = {}

const isForPeople = ({ access }: Route): boolean => access.isPerson === true

const listOf = (names: ReadonlyArray<string>): string => [...new Set(names)].toSorted().join(", ")

/**
 * Lets pages of `origins` call the routes for people with credentials, and read the responses. Other origins and other
 * routes get no CORS headers; without allowed origins no response has any.
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

/**
 * Returns the configured origin of the routes for visitors. Throws if the setting is not exactly an origin, or is the
 * origin of `baseUrl`.
 */
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

/** True if the request's Host header names the host of this origin (RFC 9110, 7.2), with or without a default port. */
export const isWidgetHost = (widgetOrigin: URL | undefined, { host }: Pick<IncomingHttpHeaders, "host">): boolean =>
  widgetOrigin !== undefined &&
  host !== undefined &&
  URL.parse(`${widgetOrigin.protocol}//${host}`)?.host === widgetOrigin.host

/**
 * True if a route is served at the host that a request names. Without a separate origin for visitors, each route is.
 */
export const isServedAt = (
  origin: RouteOrigin,
  widgetOrigin: URL | undefined,
  headers: Pick<IncomingHttpHeaders, "host">
): boolean =>
  widgetOrigin === undefined || origin === "both" || (origin === "visitors") === isWidgetHost(widgetOrigin, headers)
