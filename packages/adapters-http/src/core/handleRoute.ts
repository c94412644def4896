import type { ParleyServices } from "@parley/core/effect"
import { addressBucket } from "@parley/core/adapter"
import { type Context, Effect, Exit, Scope } from "effect"
import { empty } from "../answers/Answer.ts"
import { writeAnswer } from "../answers/writeAnswer.ts"
import type { ParleyRuntime } from "../environment/HttpOptions.ts"
import type { RouteServices } from "../environment/HttpServices.ts"
import { LargeWorkTurns } from "../environment/LargeWorkTurns.ts"
import type { AnswerWriter } from "../exchange/AnswerWriter.ts"
import type { HttpRequest } from "../exchange/HttpRequest.ts"
import { decodeParameters } from "../routes/parameters.ts"
import type { Route } from "../routes/Route.ts"
import { answerFailure } from "./answerFailure.ts"
import { logFailure } from "./logFailure.ts"

/** What every request of a server is served with. */
export interface RouteSurroundings {
  readonly runtime: ParleyRuntime
  /** Adds the services of this server to those of the runtime. */
  readonly withServices: (context: Context.Context<ParleyServices>) => Context.Context<RouteServices>
  /** How long a reader of a stream may take nothing before the connection is given up. */
  readonly stalledReaderMs: number
}

/** One request on its way: which route it asks for, and where the answer goes. */
export interface Exchange {
  readonly request: HttpRequest
  readonly writer: AnswerWriter
  /** Aborts where the client leaves before the answer is complete. */
  readonly signal: AbortSignal
}

/** The route that a request asks for, with the decoded parameters of its path. */
export interface RouteCall {
  readonly route: Route
  readonly path: Readonly<Record<string, string>>
}

/**
 * Serves one request: who calls, is the input valid, what does the service say; then writes the answer, or problem
 * details. A client that leaves at any moment interrupts the work, and what it held is settled before this resolves.
 * Once an answer has begun, a failure cuts it off, so that no reader takes a cut reply for a whole one.
 */
export const handleRoute = async (
  { runtime, stalledReaderMs, withServices }: RouteSurroundings,
  call: RouteCall,
  exchange: Exchange
): Promise<void> => {
  const { request, signal, writer } = exchange
  const known: Known = { userId: undefined }
  const work = Effect.scoped(serve(call, exchange, known, stalledReaderMs)).pipe(
    Effect.tapCause((cause) => logFailure(cause, { route: call.route, ...known })),
    Effect.annotateLogs({ requestId: request.id }),
    Effect.updateContext(withServices)
  )
  const exit = await runtime.runPromiseExit(work, { signal })
  if (Exit.isFailure(exit)) answerFailure(writer, exit.cause, request.id)
}

/** The user who sent a request, once that is proven. */
interface Known {
  userId: string | undefined
}

/** The order of checks: who calls and may it (401, 403, 404), is the input valid (400 or 422), then what the service checks. */
const serve = Effect.fnUntraced(function* (
  { path, route }: RouteCall,
  { request, writer }: Exchange,
  known: Known,
  stalledReaderMs: number
) {
  const claim = yield* route.access.claimOf(request)
  known.userId = claim.userId
  yield* claim.admit
  const sent = new URLSearchParams(request.query)
  const parameters = {
    path: yield* decodeParameters(route.pathParameters, (name) => [path[name] ?? ""]),
    query: yield* decodeParameters(route.queryParameters, (name) => sent.getAll(name)),
    headers: yield* decodeParameters(route.headerParameters, (name) => request.valuesOf(name))
  }
  const person = claim.userId === undefined ? `peer ${addressBucket(request.peer)}` : `user ${claim.userId}`
  const preparing = yield* Scope.fork(yield* Scope.Scope)
  const body = route.body === undefined ? undefined : yield* Scope.provide(route.body.read(request, person), preparing)
  const caller = yield* claim.callerOf({ ...parameters, body })
  if (route.largeWork !== undefined) {
    const turns = yield* LargeWorkTurns
    yield* Scope.provide(turns[route.largeWork].enter(person), preparing)
  }
  const answer = yield* route.handle({ caller, ...parameters, body, prefix: request.prefix })
  const isStream = answer._tag === "text-stream" || answer._tag === "byte-stream"
  // Nothing is streamed to who asks for the head alone.
  if (isStream && request.method === "HEAD") {
    return yield* writeAnswer(writer, empty(answer.headers, answer.status), stalledReaderMs)
  }
  // What a body kept is given back before a reply is streamed, which may take minutes.
  if (isStream) yield* Scope.close(preparing, Exit.void)
  yield* writeAnswer(writer, answer, stalledReaderMs)
})
