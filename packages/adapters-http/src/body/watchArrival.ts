import type { Readable } from "node:stream"
import type { IncomingBody } from "../exchange/HttpRequest.ts"
import { BodyAlreadyRead, RequestTooSlow, ServerBusy } from "../problems/errors.ts"
import type { BodyMemory } from "./BodyMemory.ts"
import { keepBytes } from "./keepBytes.ts"

/** The lowest throughput of a body: this many bytes in each window of time, or its end. */
export interface BodyPace {
  readonly windowMs: number
  readonly bytesPerWindow: number
  /** Longest total wait of a body for memory; default 15 seconds. */
  readonly heldBackMs?: number | undefined
}

/** A slow phone's line brings ten times as much. */
export const DEFAULT_BODY_PACE: BodyPace = { windowMs: 10_000, bytesPerWindow: 20 * 1024 }
const HELD_BACK_MS = 15_000

export interface ArrivalOptions {
  readonly memory: BodyMemory
  readonly pace: BodyPace
  /** The sending person. */
  readonly person: string
}

export interface Arrival {
  /** Returns the memory of the body, complete or not. Safe to call more than once. */
  release(): void
}

/** The reasons why a body does not arrive. */
export type ArrivalRefused = RequestTooSlow | ServerBusy | BodyAlreadyRead

export interface ArrivalListener {
  onChunk(chunk: Buffer): void
  onEnd(): void
  onRefused(error: ArrivalRefused): void
}

/**
 * Receives a body: counts it in `memory`, pauses the sender if there is no room, and disconnects a sender that is
 * slower than `pace`. Time in which it was paused does not count, but is bounded, because a paused sender may have
 * left. A body that another parser has read arrives in one piece. After `onEnd` or `onRefused` no more data comes.
 */
export const watchArrival = (body: IncomingBody, options: ArrivalOptions, listener: ArrivalListener): Arrival => {
  const taken = body.taken()
  if (taken === undefined) return watchSender(body.stream, options, listener)
  return giveTaken(taken._tag === "bytes" ? taken.bytes : undefined, options, listener)
}

/** As if it arrived: after this call. */
const giveTaken = (
  bytes: Buffer | undefined,
  { memory, person }: ArrivalOptions,
  listener: ArrivalListener
): Arrival => {
  const kept = keepBytes(memory, person, bytes?.byteLength ?? 0)
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
  /** Runs to the end of a window of the pace, or to the end of the time that the sender may be held back. */
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
