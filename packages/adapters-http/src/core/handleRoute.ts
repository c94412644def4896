import type { ParleyServices } from "@parley/core/effect"
import { addressBucket } from "@parley/core/adapter"
import { type Context, Effect, Exit, Scope } from "effect"
import { empty } from "../answers/Answer.ts"
import { writeAnswer } from "../answers/writeAnswer.ts"
import type { ParleyRuntime } from "../environment/HttpOptions.ts"
import type { RouteServices } from "../environment/HttpServices.ts"
import { LargeWork } from "../environment/LargeWork.ts"
import type { AnswerWriter } from "../exchange/AnswerWriter.ts"
import type { HttpRequest } from "../exchange/HttpRequest.ts"
import { decodeParameters } from "../routes/parameters.ts"
import type { Route } from "../routes/Route.ts"
import { answerFailure } from "./answerFailure.ts"
import { logFailure } from "./logFailure.ts"

/** The services of every request of a server. */
export interface RouteSurroundings {
  readonly runtime: ParleyRuntime
  /** Adds the services of this server to those of the runtime. */
  readonly withServices: (context: Context.Context<ParleyServices>) => Context.Context<RouteServices>
  /** Longest time in which the reader of a stream reads nothing before the connection is closed. */
  readonly stalledReaderMs: number
}

/** A request in progress: its route, and the writer of its response. */
export interface Exchange {
  readonly request: HttpRequest
  readonly writer: AnswerWriter
  /** Aborts if the client leaves before the response is complete. */
  readonly signal: AbortSignal
}

/** The route that a request asks for, with the decoded parameters of its path. */
export interface RouteCall {
  readonly route: Route
  readonly path: Readonly<Record<string, string>>
}

/**
 * Serves one request: identifies the caller, checks the input, calls the service, then writes the response, or problem
 * details. If the client leaves, the work is interrupted, and its holds are settled before this resolves. After the
 * response has begun, a failure breaks it off, so that no reader takes a part for the whole.
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

/** The user who sent a request, when that is proven. */
interface Known {
  userId: string | undefined
}

/**
 * The order of checks: the caller and their rights (401, 403, 404), the input (400 or 422), then those of the service.
 */
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
    const queues = yield* LargeWork
    yield* Scope.provide(queues[route.largeWork].enter(person), preparing)
  }
  const answer = yield* route.handle({ caller, ...parameters, body, prefix: request.prefix })
  const isStream = answer._tag === "text-stream" || answer._tag === "byte-stream"
  // A request for the head only gets no stream.
  if (isStream && request.method === "HEAD") {
    return yield* writeAnswer(writer, empty(answer.headers, answer.status), stalledReaderMs)
  }
  // The memory of a body is returned before a reply is streamed, which may take minutes.
  if (isStream) yield* Scope.close(preparing, Exit.void)
  yield* writeAnswer(writer, answer, stalledReaderMs)
})
