import type { IncomingMessage, ServerResponse } from "node:http"
import { type Context, Effect, Exit, Scope } from "effect"
import { writeAnswer } from "../answers/writeAnswer.ts"
import { discardBody } from "../body/discardBody.ts"
import type { ParleyRuntime } from "../environment/HttpOptions.ts"
import type { HttpServices } from "../environment/HttpServices.ts"
import { LargeWorkTurns } from "../environment/LargeWorkTurns.ts"
import { requestIdOf } from "../requestId.ts"
import { decodeParameters } from "../routes/parameters.ts"
import type { Route } from "../routes/Route.ts"
import { answerFailure } from "./answerFailure.ts"
import { limitStalledReader } from "./limitStalledReader.ts"
import { logFailure } from "./logFailure.ts"
import { watchDeparture } from "./watchDeparture.ts"

/** What every request of a server is served with. */
export interface RouteSurroundings {
  readonly runtime: ParleyRuntime
  readonly services: Context.Context<HttpServices>
  /** How long a reader of a stream may take nothing before the connection is given up. */
  readonly stalledReaderMs: number
}

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
 * Serves one request: who calls, is the input valid, what does the service say; then writes the answer, or problem
 * details. A client that leaves at any moment interrupts the work, and what it held is settled before this resolves.
 * Once an answer has begun, a failure destroys the connection, so that no reader takes a cut reply for a whole one.
 */
export const handleRoute = async (
  { runtime, services, stalledReaderMs }: RouteSurroundings,
  input: RouteRequest
): Promise<void> => {
  const { request, response, route } = input
  const requestId = requestIdOf(request, response)
  const departure = watchDeparture(request, response)
  const known: Known = { userId: undefined }
  const work = Effect.scoped(serve(input, known, stalledReaderMs)).pipe(
    Effect.tapCause((cause) => logFailure(cause, { route, ...known })),
    Effect.annotateLogs({ requestId }),
    Effect.provideContext(services)
  )
  const exit = await runtime.runPromiseExit(work, { signal: departure.signal })
  departure.stop()
  if (Exit.isFailure(exit)) answerFailure(request, response, exit.cause, requestId)
  limitStalledReader(response, stalledReaderMs)
  discardBody(request)
}

/** The user who sent a request, once that is proven. */
interface Known {
  userId: string | undefined
}

/** The order of checks: who calls and may it (401, 403, 404), is the input valid (400 or 422), then what the service checks. */
const serve = Effect.fnUntraced(function* (input: RouteRequest, known: Known, stalledReaderMs: number) {
  const { peer, request, response, route } = input
  const { headers, httpVersion, method = route.method } = request
  const claim = yield* route.access.claimOf({ method, headers, httpVersion, peer })
  known.userId = claim.userId
  yield* claim.admit
  const parameters = yield* decodeInput(input)
  const person = claim.userId === undefined ? `peer ${peer}` : `user ${claim.userId}`
  const preparing = yield* Scope.fork(yield* Scope.Scope)
  const body = route.body === undefined ? undefined : yield* Scope.provide(route.body.read(request, person), preparing)
  const caller = yield* claim.callerOf({ ...parameters, body })
  if (route.largeWork !== undefined) {
    const turns = yield* LargeWorkTurns
    yield* Scope.provide(turns[route.largeWork].enter(person), preparing)
  }
  const answer = yield* route.handle({ caller, ...parameters, body })
  // What a body kept is given back before a reply is streamed, which may take minutes.
  if (answer._tag === "text-stream") yield* Scope.close(preparing, Exit.void)
  yield* writeAnswer(response, answer, stalledReaderMs)
})

const decodeInput = Effect.fnUntraced(function* ({ path, request, route }: RouteRequest) {
  const sent = queryOf(request)
  return {
    path: yield* decodeParameters(route.pathParameters, (name) => [path[name] ?? ""]),
    query: yield* decodeParameters(route.queryParameters, (name) => sent.getAll(name)),
    headers: yield* decodeParameters(route.headerParameters, (name) => request.headersDistinct[name] ?? [])
  }
})

const queryOf = (request: IncomingMessage): URLSearchParams => {
  const url = request.url ?? ""
  const mark = url.indexOf("?")
  return new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1))
}
