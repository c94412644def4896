import type { SessionVerifier } from "@parley/core"
import {
  type ErrorRequestHandler,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router
} from "express"
import { writeProblem } from "../answers/writeAnswer.ts"
import { InvalidRequest, MethodNotAllowed, PayloadTooLarge } from "../problems/errors.ts"
import { problemFrom } from "../problems/Problem.ts"
import { requestIdOf } from "../requestId.ts"
import type { Route } from "../routes/Route.ts"
import type { RouteEnvironment } from "../routes/RouteEnvironment.ts"
import { routes } from "../routes/routes.ts"
import { cronSecretFrom } from "../security/CronSecret.ts"
import { makeRefusalLog } from "../security/RefusalLog.ts"
import type { DevelopmentSessions } from "../sessions/developmentSessions.ts"
import { cookieNameOf, DEFAULT_SESSION_COOKIE } from "../sessions/sessionCookie.ts"
import { discardBody } from "../body/discardBody.ts"
import { makeBodyMemory } from "../body/BodyMemory.ts"
import { JsonThread } from "../body/JsonThread.ts"
import { type BodyPace, DEFAULT_BODY_PACE } from "../body/watchArrival.ts"
import { handleRoute, type ParleyRuntime } from "./handleRoute.ts"
import { openApiDocument } from "./openApiDocument.ts"
import { makePersonRequests } from "./PersonRequests.ts"
import { makePersonTurns } from "./PersonTurns.ts"
import { remembered } from "./remembered.ts"
import type { RequestTracker } from "./RequestTracker.ts"

export interface ParleyRouterOptions {
  /** `parley.runtime`, or any runtime with Parley's services. */
  readonly runtime: ParleyRuntime
  /** Judges session tokens. With development sign-in, `developmentSessions.verifier`. */
  readonly sessions: SessionVerifier["Service"]
  /** The cookie that carries the session token: `parley_session` unless given; over https with `__Host-` before it. */
  readonly sessionCookie?: string | undefined
  /** Where people reach the server. With https, cookies are `Secure`, and only the `__Host-` one counts. */
  readonly baseUrl?: string | undefined
  /** What schedules send as their bearer token to `/api/cron/*`. Without it those routes answer 503 to everybody. */
  readonly cronSecret?: string | undefined
  /** Turns on `POST /dev/sign-in`, for requests to a local Host only. Never give it where others can reach the server. */
  readonly developmentSessions?: DevelopmentSessions | undefined
  /** Rejects where something the server depends on does not answer; `GET /readyz` asks, at most once a second. */
  readonly ready?: (() => Promise<void>) | undefined
  /** Shown in the OpenAPI document. */
  readonly version?: string | undefined
  /** How long a reader of a stream may take nothing before the connection is given up: one minute unless given. */
  readonly stalledReaderMs?: number | undefined
  /**
   * What uploads may keep in memory together, in bytes: 256 MiB unless given, of which one person has a quarter. Those
   * that do not fit wait.
   */
  readonly uploadMemoryBytes?: number | undefined
  /** The same for JSON bodies, the large ones until they are answered: 64 MiB unless given; one person has a sixteenth. */
  readonly jsonMemoryBytes?: number | undefined
  /** The least throughput of a body; slower ones are answered 408. 20 KiB in each ten seconds unless given. */
  readonly bodyPace?: BodyPace | undefined
  /** The most requests that one person may have under way, replies that are streamed included: 1,000 unless given. */
  readonly requestsPerPerson?: number | undefined
  /** Told of every request being worked on. */
  readonly requests?: RequestTracker | undefined
}

const STALLED_READER_MS = 60_000
const UPLOAD_MEMORY_BYTES = 256 * 1024 * 1024
const JSON_MEMORY_BYTES = 64 * 1024 * 1024
/** How long an answer of `ready` counts, and how long it may take. */
const READINESS = { forMs: 1_000, withinMs: 5_000 }
/** Large reads, and large writes, that go on at a time, and those of one person. */
const LARGE_WORK = { places: 4, perPerson: 1 }
/** What one person's bodies may keep, as a part of the whole. */
const PERSON_SHARES = { json: 1 / 16, uploads: 1 / 4 }
const REQUESTS_PER_PERSON = 1_000

const memoryOf = (totalBytes: number, personShare: number) =>
  makeBodyMemory({ totalBytes, personBytes: totalBytes * personShare })

const makeTurns = () => makePersonTurns(LARGE_WORK.places, LARGE_WORK.perPerson)

/**
 * All routes as an Express 5 router, to be mounted at the root, before any body parser. Paths that are not Parley's
 * pass through to whatever is mounted after it. Throws where `baseUrl` is not a URL.
 */
export const parleyRouter = (options: ParleyRouterOptions): Router => {
  const served = routes.filter((route) => route.access !== "development" || options.developmentSessions !== undefined)
  const environment = environmentOf(options, served)
  const router = Router({ caseSensitive: true })
  for (const [path, ofPath] of Map.groupBy(served, (route) => route.path)) {
    const expressRoute = router.route(path.replaceAll(/\{(\w+)\}/g, ":$1"))
    for (const route of ofPath) {
      const method = route.method.toLowerCase() as Lowercase<Route["method"]>
      expressRoute[method](handlerOf(route, options, environment))
    }
    expressRoute.all(refuseMethod(ofPath))
  }
  router.use(answerError)
  return router
}

const environmentOf = (options: ParleyRouterOptions, served: ReadonlyArray<Route>): RouteEnvironment => {
  const { baseUrl, version = "0.0.0", sessionCookie: name = DEFAULT_SESSION_COOKIE } = options
  const url = baseUrl === undefined ? undefined : new URL(baseUrl)
  const cookie = { name, secure: url?.protocol === "https:" }
  return {
    sessions: options.sessions,
    cookie,
    baseUrl: url,
    cronSecret: cronSecretFrom(options.cronSecret),
    developmentSessions: options.developmentSessions,
    ready: remembered(options.ready ?? (() => Promise.resolve()), READINESS),
    openApi: openApiDocument({ routes: served, version, baseUrl, cookieName: cookieNameOf(cookie) }),
    refusals: makeRefusalLog(),
    stalledReaderMs: options.stalledReaderMs ?? STALLED_READER_MS,
    bodyMemory: {
      json: memoryOf(options.jsonMemoryBytes ?? JSON_MEMORY_BYTES, PERSON_SHARES.json),
      uploads: memoryOf(options.uploadMemoryBytes ?? UPLOAD_MEMORY_BYTES, PERSON_SHARES.uploads)
    },
    turns: { read: makeTurns(), write: makeTurns() },
    jsonThread: new JsonThread(),
    bodyPace: options.bodyPace ?? DEFAULT_BODY_PACE,
    personRequests: makePersonRequests(options.requestsPerPerson ?? REQUESTS_PER_PERSON)
  }
}

const handlerOf =
  (route: Route, { runtime, requests }: ParleyRouterOptions, environment: RouteEnvironment): RequestHandler =>
  (request, response, next) => {
    const path = request.params as Readonly<Record<string, string>>
    const handle = async () => {
      try {
        await handleRoute(runtime, environment, { route, request, response, path, peer: request.ip ?? "" })
      } catch (error) {
        next(error)
      }
    }
    const work = handle()
    requests?.track(work)
  }

const refuseMethod = (ofPath: ReadonlyArray<Route>): RequestHandler => {
  const methods = ofPath.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
  const refusal = new MethodNotAllowed({ allowed: methods })
  return (request, response) => {
    writeProblem(response, problemFrom(refusal, requestIdOf(request, response)), { allow: methods.join(", ") })
    discardBody(request)
  }
}

/**
 * The last resort: what Express itself or a handler mounted beside refuses, as problem details and without a word of
 * the error. Mount it after everything else.
 */
export const answerError: ErrorRequestHandler = (
  error: unknown,
  request: Request,
  response: Response,
  _next: NextFunction
) => {
  if (response.headersSent) return void response.destroy()
  writeProblem(response, problemFrom(knownError(error), requestIdOf(request, response)))
  discardBody(request)
}

const knownError = (error: unknown): unknown => {
  if (typeof error !== "object" || error === null) return error
  const { limit, status, type } = error as {
    readonly limit?: unknown
    readonly status?: unknown
    readonly type?: unknown
  }
  if (type === "entity.too.large" && Number.isSafeInteger(limit)) return new PayloadTooLarge({ limit: Number(limit) })
  if (typeof status !== "number" || status < 400 || status >= 500) return error
  const path = typeof type === "string" ? "body" : "path"
  return new InvalidRequest({ issues: [{ path, message: "It cannot be decoded" }] })
}
