import type { Readable } from "node:stream"
import { Effect, Scope } from "effect"
import type { Request } from "../exchange/Exchange.ts"
import { BodyAlreadyRead, PayloadTooLarge, RequestTooSlow, ServerBusy } from "../problems/errors.ts"
import type { BodyPace } from "./BodyIntake.ts"
import type { BodyMemory } from "./BodyMemory.ts"

const HELD_BACK_MS = 15_000

export interface ArrivalOptions {
  readonly memory: BodyMemory
  readonly pace: BodyPace
  /** The person to whom the memory of the body is counted. */
  readonly person: string
}

export interface Arrival {
  /** Returns the memory of the body, whether or not it is complete. It is safe to call this more than once. */
  readonly release: () => void
}

/** The reasons why a body is not received. */
export type ArrivalRefused = RequestTooSlow | ServerBusy | BodyAlreadyRead

export interface ArrivalListener {
  onChunk(chunk: Buffer): void
  onEnd(): void
  onRefused(error: ArrivalRefused): void
}

/**
 * Receives a body: counts it in `memory`, pauses the sender if there is no room, and refuses a sender that is slower
 * than `pace`. The time for which the server paused the sender does not count, but is bounded, because a paused sender
 * may have left. A body that another parser has read arrives in one piece. No more data comes after `onEnd` or
 * `onRefused`.
 */
export const watchArrival = (request: Request, options: ArrivalOptions, listener: ArrivalListener): Arrival => {
  const taken = request.takenBody()
  if (taken === undefined) return watchSender(request.body, options, listener)
  return giveTaken(taken._tag === "bytes" ? taken.bytes : undefined, options, listener)
}

/** Reports the bytes that another parser has read as if they arrived after this call. */
const giveTaken = (
  bytes: Buffer | undefined,
  { memory, person }: ArrivalOptions,
  listener: ArrivalListener
): Arrival => {
  const kept = memory.keep(person, bytes?.byteLength ?? 0)
  let isReleased = false
  setImmediate(() => {
    if (isReleased) return
    if (bytes === undefined) return listener.onRefused(new BodyAlreadyRead())
    listener.onChunk(bytes)
    if (!isReleased) listener.onEnd()
  })
  return {
    release: () => {
      isReleased = true
      kept.release()
    }
  }
}

const watchSender = (stream: Readable, options: ArrivalOptions, listener: ArrivalListener): Arrival => {
  const { memory, pace, person } = options
  let inWindow = 0
  /** The timer for the end of the current window of `pace` or, while the sender is paused, for the longest pause. */
  let window: NodeJS.Timeout | undefined
  let leftToHoldMs = pace.heldBackMs ?? HELD_BACK_MS
  let heldSince = 0
  const openWindow = () => {
    clearTimeout(window)
    inWindow = 0
    window = setTimeout(judge, pace.windowMs).unref()
  }
  const judge = () => {
    if (inWindow >= pace.bytesPerWindow) openWindow()
    else refuse(new RequestTooSlow())
  }
  const holdBack = () => {
    clearTimeout(window)
    stream.pause()
    heldSince = performance.now()
    window = setTimeout(() => refuse(new ServerBusy()), leftToHoldMs).unref()
  }
  const stop = () => {
    clearTimeout(window)
    stream.off("data", onData)
    stream.off("end", onEnd)
  }
  const refuse = (error: ArrivalRefused) => {
    stop()
    share.release()
    listener.onRefused(error)
  }
  const share = memory.open(person, {
    onRoom: () => {
      leftToHoldMs = Math.max(0, leftToHoldMs - (performance.now() - heldSince))
      openWindow()
      stream.resume()
    },
    onRefused: () => refuse(new ServerBusy())
  })
  const onData = (chunk: Buffer) => {
    inWindow += chunk.byteLength
    if (!share.add(chunk.byteLength)) holdBack()
    listener.onChunk(chunk)
  }
  const onEnd = () => {
    stop()
    share.complete()
    listener.onEnd()
  }
  openWindow()
  stream.on("data", onData)
  stream.on("end", onEnd)
  return {
    release: () => {
      stop()
      share.release()
    }
  }
}

export interface ReadBodyOptions extends ArrivalOptions {
  /** The largest number of bytes that a body may have. */
  readonly limit: number
}

/** The reasons why a body was not read to its end. */
export type BodyRefused = PayloadTooLarge | ArrivalRefused

/** A body that has arrived completely. */
export interface ReadBody {
  readonly bytes: Buffer
  readonly arrival: Arrival
}

/**
 * Reads a body of at most `limit` bytes. A longer body fails as soon as its length is known, without storing more of
 * it. A client that leaves half-way gets no answer: the fiber is interrupted from outside. The bytes count as memory
 * until `arrival.release` is called.
 */
const readBody = (request: Request, options: ReadBodyOptions): Effect.Effect<ReadBody, BodyRefused> =>
  Effect.callback<ReadBody, BodyRefused>((resume) => {
    const { limit } = options
    const tooLarge = () => resume(Effect.fail(new PayloadTooLarge({ limit })))
    if (Number(request.headers["content-length"]) > limit) return tooLarge()
    const collected = collectBytes()
    let received = 0
    const arrival = watchArrival(request, options, {
      onChunk: (chunk) => {
        received += chunk.byteLength
        if (received <= limit) return collected.add(chunk)
        arrival.release()
        tooLarge()
      },
      onEnd: () => resume(Effect.succeed({ bytes: collected.bytes(), arrival })),
      onRefused: (error) => resume(Effect.fail(error))
    })
    return Effect.sync(arrival.release)
  })

/** Reads a body. It counts as memory until the scope closes, or until the caller releases it earlier. */
export const keepBody = Effect.fnUntraced(function* (request: Request, options: ReadBodyOptions) {
  const body = yield* Effect.interruptible(readBody(request, options))
  yield* Scope.addFinalizer(yield* Effect.scope, Effect.sync(body.arrival.release))
  return body
}, Effect.uninterruptible)

/** Smaller chunks are copied into shared blocks: kept alone, each would take more memory than its content. */
const SMALL_BYTES = 4 * 1024
const BLOCK_BYTES = 16 * 1024

export interface CollectedBytes {
  add(chunk: Buffer): void
  /** Returns all added bytes in order. */
  bytes(): Buffer
}

/** Collects chunks of any size in little more memory than their content needs. */
export const collectBytes = (): CollectedBytes => {
  const pieces: Array<Buffer> = []
  let block: Buffer | undefined
  let used = 0
  const closeBlock = () => {
    if (block !== undefined) pieces.push(block.subarray(0, used))
    block = undefined
    used = 0
  }
  return {
    add: (chunk) => {
      if (pieces.length === 0 && block === undefined) return void pieces.push(chunk)
      if (chunk.byteLength >= SMALL_BYTES) {
        closeBlock()
        return void pieces.push(chunk)
      }
      if (used + chunk.byteLength > BLOCK_BYTES) closeBlock()
      block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES)
      used += chunk.copy(block, used)
    },
    bytes: () => {
      closeBlock()
      return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
    }
  }
}
