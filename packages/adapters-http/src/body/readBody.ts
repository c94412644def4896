import { acquireInScope } from "@parley/core/adapter"
import { Effect, type Scope } from "effect"
import type { HttpRequest } from "../exchange/HttpRequest.ts"
import { PayloadTooLarge } from "../problems/errors.ts"
import { collectBytes } from "./collectBytes.ts"
import { type Arrival, type ArrivalOptions, type ArrivalRefused, watchArrival } from "./watchArrival.ts"

export interface ReadBodyOptions extends ArrivalOptions {
  /** The most bytes a body may have. */
  readonly limit: number
}

/** The reasons why a body was not read to its end. */
export type BodyRefused = PayloadTooLarge | ArrivalRefused

/** A body that arrived. */
export interface ReadBody {
  readonly bytes: Buffer
  readonly arrival: Arrival
}

/**
 * The bytes of a body of at most `limit` bytes. A longer one fails as soon as that is known, without keeping more.
 * A client that leaves half-way gets no answer: the fiber is interrupted from outside. The bytes count as kept until
 * their arrival is released.
 */
const readBody = (request: HttpRequest, options: ReadBodyOptions): Effect.Effect<ReadBody, BodyRefused> =>
  Effect.callback<ReadBody, BodyRefused>((resume) => {
    const { limit } = options
    const tooLarge = () => resume(Effect.fail(new PayloadTooLarge({ limit })))
    if (Number(request.headers["content-length"]) > limit) return tooLarge()
    const collected = collectBytes()
    const arrival = watchArrival(request.body, options, {
      onChunk: (chunk) => {
        if (collected.size + chunk.byteLength <= limit) return collected.add(chunk)
        arrival.release()
        tooLarge()
      },
      onEnd: () => resume(Effect.succeed({ bytes: collected.bytes(), arrival })),
      onRefused: (error) => resume(Effect.fail(error))
    })
    return Effect.sync(() => arrival.release())
  })

/** Reads a body and counts it as kept until the scope closes, or its arrival is released before. */
export const keepBody = (
  request: HttpRequest,
  options: ReadBodyOptions
): Effect.Effect<ReadBody, BodyRefused, Scope.Scope> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(readBody(request, options)), (body) =>
      acquireInScope(Effect.succeed(body), ({ arrival }) => Effect.sync(() => arrival.release()))
    )
  )
