import type { IncomingMessage, ServerResponse } from "node:http"
import type { ParleyServices } from "@parley/core"
import { Effect, Exit, type ManagedRuntime, Scope } from "effect"
import { writeAnswer } from "../answers/writeAnswer.ts"
import { discardBody } from "../body/discardBody.ts"
import { RouteNotFound } from "../problems/errors.ts"
import { requestIdOf } from "../requestId.ts"
import { decodeParameters } from "../routes/parameters.ts"
import type { Route } from "../routes/Route.ts"
import type { RouteEnvironment } from "../routes/RouteEnvironment.ts"
import { authorizeCron } from "../security/CronSecret.ts"
import { isLocalPage, isLocalRequest } from "../security/isLocalRequest.ts"
import { isUnsafe, refuseCrossSite } from "../security/refuseCrossSite.ts"
import { authenticate } from "../sessions/authenticate.ts"
import { answerFailure } from "./answerFailure.ts"
import { limitStalledReader } from "./limitStalledReader.ts"
import { logFailure } from "./logFailure.ts"
import { watchDeparture } from "./watchDeparture.ts"

/** The Effect runtime that holds Parley's services, for example `parley.runtime`. */
export type ParleyRuntime = ManagedRuntime.ManagedRuntime<ParleyServices, unknown>

export interface RouteRequest {
  readonly route: Route
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Decoded path parameters. */
  readonly path: Readonly<Record<string, string>>
  /** The address the request came from, as far as proxies that are trusted tell it. */
  readonly peer: string
}

/**
 * Serves one request: who is it, is the input valid, what does the service say; then writes the answer, or problem
 * details. A client that leaves at any moment interrupts the work, and what it held is settled before this resolves.
 * Once an answer has begun, a failure destroys the connection, so that no reader takes a cut reply for a whole one.
 */
export const handleRoute = async (
  runtime: ParleyRuntime,
  environment: RouteEnvironment,
  input: RouteRequest
): Promise<void> => {
  const { request, response, route } = input
  const requestId = requestIdOf(request, response)
  const departure = watchDeparture(request, response)
  const caller: Caller = { userId: undefined }
  const work = Effect.scoped(serve(environment, input, caller)).pipe(
    Effect.tapCause((cause) => logFailure(cause, { route, refusals: environment.refusals, ...caller })),
    Effect.annotateLogs({ requestId })
  )
  const exit = await runtime.runPromiseExit(work, { signal: departure.signal })
  departure.stop()
  if (Exit.isFailure(exit)) answerFailure(request, response, exit.cause, requestId)
  limitStalledReader(response, environment.stalledReaderMs)
  discardBody(request)
}

/** Who sent a request, once that is proven. */
interface Caller {
  userId: string | undefined
}

/** The order of checks: is there such a route here, 401, 403 of the origin, 400 or 422, then what the service checks. */
const serve = Effect.fnUntraced(function* (environment: RouteEnvironment, input: RouteRequest, caller: Caller) {
  const { request, response, route } = input
  const { access } = route
  if (access === "development" && !isLocalRequest(request)) return yield* new RouteNotFound()
  if (access === "cron") yield* authorizeCron(environment.cronSecret, request.headers.authorization)
  const session =
    access === "session"
      ? yield* authenticate(environment.sessions, environment.cookie, request.headers.cookie)
      : undefined
  caller.userId = session?.userId
  if (session !== undefined) yield* environment.personRequests.enter(session.userId)
  if (access !== "public" && isUnsafe(route.method)) yield* refuseCrossSite(request.headers, environment.baseUrl)
  if (access === "development" && !isLocalPage(request.headers, environment.baseUrl)) return yield* new RouteNotFound()
  const path = yield* decodeParameters(route.pathParameters, (name) => [input.path[name] ?? ""])
  const sent = queryOf(request)
  const query = yield* decodeParameters(route.queryParameters, (name) => sent.getAll(name))
  const headers = yield* decodeParameters(route.headerParameters, (name) => request.headersDistinct[name] ?? [])
  const person = session === undefined ? `peer ${input.peer}` : `user ${session.userId}`
  const preparing = yield* Scope.fork(yield* Scope.Scope)
  const body =
    route.body === undefined
      ? undefined
      : yield* Scope.provide(route.body.read(request, { environment, person }), preparing)
  if (route.largeWork !== undefined) {
    yield* Scope.provide(environment.turns[route.largeWork].enter(person), preparing)
  }
  const answer = yield* route.handle({ session, path, query, headers, body, environment })
  // What a body kept is given back before a reply is streamed, which may take minutes.
  if (answer._tag === "text-stream") yield* Scope.close(preparing, Exit.void)
  yield* writeAnswer(response, answer, environment.stalledReaderMs)
})

const queryOf = (request: IncomingMessage): URLSearchParams => {
  const url = request.url ?? ""
  const mark = url.indexOf("?")
  return new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1))
}
