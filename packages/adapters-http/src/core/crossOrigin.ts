import type { AnswerHeaders } from "../answers/Answer.ts"
import { REQUEST_ID } from "../exchange/requestId.ts"
import type { RequestHead } from "../exchange/RequestHead.ts"
import type { Route } from "../routes/Route.ts"
import type { RouteMatch } from "./RouteTable.ts"

/** The rules for pages of other origins (Fetch standard, "CORS protocol"). */
export interface CrossOrigin {
  /** The headers of every response of a match. */
  headersOf(match: RouteMatch, head: Pick<RequestHead, "headers">): AnswerHeaders
  /** The response's headers for a preflight of a request that an allowed origin may send; otherwise undefined. */
  preflightOf(match: RouteMatch, head: Pick<RequestHead, "headers" | "method">): AnswerHeaders | undefined
}

/** Time for which a browser may cache the response to a preflight, in seconds. */
const PREFLIGHT_SECONDS = 600

/** The request headers of all routes. */
const REQUEST_HEADERS = ["authorization", "content-type", REQUEST_ID]
/** The response headers of all routes. */
const ANSWER_HEADERS = [REQUEST_ID, "retry-after", "ratelimit", "ratelimit-policy"]

const NONE: AnswerHeaders = {}

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
    ...ANSWER_HEADERS,
    ...routes.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ headers = {} }) =>
        Object.keys(headers).filter((name) => name !== "set-cookie")
      )
    )
  ])
  const concerns = (match: RouteMatch): boolean =>
    match._tag === "route" ? isForPeople(match.route) : match.others.some(isForPeople)
  const allowedOf = ({ headers: { origin } }: Pick<RequestHead, "headers">): string | undefined =>
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
