import { ModelFailed, type ModelFailure } from "@parley/core/adapter"
import type { ChatModel, ChatModelRequest, ReplyPart } from "@parley/core/adapter"
import { Cause, Effect, Queue, Stream } from "effect"

export const text = (words: string): ReplyPart => ({ _tag: "text-delta", text: words })

export const completed: ReplyPart = {
  _tag: "end",
  reason: "completed",
  usage: { freshInput: 10, cacheRead: 0, cacheWrite: 0, output: 5 }
}

/** One request to the model, driven by the test. */
export class ModelCall {
  readonly request: ChatModelRequest
  /** Resolves when the stream is left for any reason. */
  readonly left: Promise<void>
  readonly stream: Stream.Stream<ReplyPart, ModelFailed>
  readonly #parts: Queue.Queue<ReplyPart, ModelFailed | Cause.Done>

  constructor(request: ChatModelRequest) {
    this.request = request
    this.#parts = Effect.runSync(Queue.unbounded<ReplyPart, ModelFailed | Cause.Done>())
    const { promise, resolve } = Promise.withResolvers<void>()
    this.left = promise
    this.stream = Stream.fromQueue(this.#parts).pipe(Stream.ensuring(Effect.sync(() => resolve())))
  }

  say(words: string): void {
    Queue.offerUnsafe(this.#parts, text(words))
  }

  complete(): void {
    Queue.offerUnsafe(this.#parts, completed)
  }

  fail(reason: ModelFailure, told: { readonly retryAfterMs?: number; readonly fault?: string } = {}): void {
    const failure = new ModelFailed({ model: this.request.model.id, reason, retryable: false, ...told })
    Queue.failCauseUnsafe(this.#parts, Cause.fail(failure))
  }
}

/** A model that replies "Hello there." to all requests, unless a test takes over. */
export class ScriptedModel implements ChatModel {
  readonly name = "scripted"
  /** The answer to every request. */
  answer: (request: ChatModelRequest) => Stream.Stream<ReplyPart, ModelFailed> = () =>
    Stream.make(text("Hello "), text("there."), completed)
  requests = 0

  stream(request: ChatModelRequest): Stream.Stream<ReplyPart, ModelFailed> {
    this.requests++
    return this.answer(request)
  }

  /** Lets the test drive the next request; resolves with it as soon as it comes. */
  nextCall(): Promise<ModelCall> {
    const { promise, resolve } = Promise.withResolvers<ModelCall>()
    this.answer = (request) => {
      const call = new ModelCall(request)
      resolve(call)
      return call.stream
    }
    return promise
  }
}
