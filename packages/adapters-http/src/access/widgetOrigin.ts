import type { IncomingHttpHeaders } from "node:http"
import type { HttpOptions } from "../server/HttpOptions.ts"
import { isOrigin } from "./allowedOrigins.ts"

/** The origins at which a route is served if the routes for visitors have one of their own: all others, theirs, or both. */
export type RouteOrigin = "people" | "visitors" | "both"

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
