import { InvalidRequest, MethodNotAllowed } from "../problems/errors.ts"
import type { Method, Route } from "../routes/Route.ts"

/** The route that a request asks for, with the decoded parameters of its path. */
export interface RouteCall {
  readonly route: Route
  readonly path: Readonly<Record<string, string>>
}

/** The result for a path and a method: a route, or the reason of a refusal. */
export type RouteMatch =
  | ({ readonly _tag: "route" } & RouteCall)
  | {
      readonly _tag: "refused"
      readonly error: InvalidRequest | MethodNotAllowed
      readonly allowed: string | undefined
      /** The routes of the path for other methods. */
      readonly others: ReadonlyArray<Route>
    }

/** Finds routes by method and path. */
export interface RouteTable {
  /** Takes an encoded path; undefined if no route has it. A trailing slash makes no difference. */
  match(method: string, path: string): RouteMatch | undefined
}

/** The routes of one path. */
interface Place {
  /** For a parameter segment its name, otherwise the segment itself. */
  readonly segments: ReadonlyArray<{ readonly parameter?: string; readonly text?: string }>
  readonly routes: ReadonlyMap<string, Route>
  readonly refusal: RouteMatch
}

const NONE = {}

const methodsOf = (routes: ReadonlyArray<Route>): ReadonlyArray<string> =>
  routes.flatMap(({ method }): ReadonlyArray<Method | "HEAD"> => (method === "GET" ? ["GET", "HEAD"] : [method]))

const placeOf = (path: string, routes: ReadonlyArray<Route>): Place => {
  const allowed = methodsOf(routes)
  const byMethod = new Map(routes.map((route) => [route.method as string, route]))
  const get = byMethod.get("GET")
  if (get !== undefined) byMethod.set("HEAD", get)
  return {
    segments: path.split("/").map((segment) => {
      const parameter = /^\{(\w+)\}$/.exec(segment)?.[1]
      return parameter === undefined ? { text: segment } : { parameter }
    }),
    routes: byMethod,
    refusal: { _tag: "refused", error: new MethodNotAllowed({ allowed }), allowed: allowed.join(", "), others: routes }
  }
}

/** Makes a table of routes; a path without parameters is found at once, the others in their order. */
export const makeRouteTable = (routes: ReadonlyArray<Route>): RouteTable => {
  const places = [...Map.groupBy(routes, ({ path }) => path)].map(
    ([path, ofPath]) => [path, placeOf(path, ofPath)] as const
  )
  const fixed = new Map(places.filter(([path]) => !path.includes("{")))
  const patterns = places.flatMap(([path, place]) => (path.includes("{") ? [place] : []))
  return {
    match: (method, encoded) => {
      const path = encoded.length > 1 && encoded.endsWith("/") ? encoded.slice(0, -1) : encoded
      const exact = fixed.get(path)
      if (exact !== undefined) return matchMethod(exact, method, NONE)
      const segments = path.split("/")
      const place = patterns.find((pattern) => fits(pattern, segments))
      return place === undefined ? undefined : matchParameters(place, method, segments)
    }
  }
}

const fits = (place: Place, segments: ReadonlyArray<string>): boolean =>
  place.segments.length === segments.length &&
  place.segments.every(({ text }, index) => (text === undefined ? segments[index] !== "" : text === segments[index]))

const matchParameters = (place: Place, method: string, segments: ReadonlyArray<string>): RouteMatch => {
  const path: Record<string, string> = {}
  try {
    place.segments.forEach(({ parameter }, index) => {
      if (parameter !== undefined) path[parameter] = decodeURIComponent(segments[index] ?? "")
    })
  } catch {
    const issues = [{ path: "path", message: "It cannot be decoded" }]
    return { _tag: "refused", error: new InvalidRequest({ issues }), allowed: undefined, others: [] }
  }
  return matchMethod(place, method, path)
}

const matchMethod = (place: Place, method: string, path: Readonly<Record<string, string>>): RouteMatch => {
  const route = place.routes.get(method)
  return route === undefined ? place.refusal : { _tag: "route", route, path }
}
