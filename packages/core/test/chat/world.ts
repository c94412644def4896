import { Clock, Effect, Fiber, Layer, Stream } from "effect"
import { CreditUpkeep, CreditRecords } from "@parley/core/adapter"
import {
  Catalog,
  CreditService,
  ChatService,
  DocumentService,
  inMemoryStorageLayer,
  parleyLayer,
  noCrmLayer,
  noPayments
} from "@parley/core/effect"
import { makeCatalog } from "@parley/core"
import { type ModelFailed, paymentProviderLayer } from "@parley/core/adapter"
import {
  type ChatModelRequest,
  ChatModels,
  DocumentParser,
  DocumentUnreadable,
  JobWorker,
  type RateLimiter,
  type ReplyPart
} from "@parley/core/adapter"
import { InMemoryRateLimiter } from "../../src/limits/InMemoryRateLimiter.ts"

/** A model whose parts a test decides, and its requests. */
export interface ScriptedModel {
  readonly requests: Array<ChatModelRequest>
  parts: (request: ChatModelRequest) => Stream.Stream<ReplyPart, ModelFailed>
}

export const scriptedModel = (parts: ScriptedModel["parts"]): ScriptedModel => ({ requests: [], parts })

/** Text deltas and an end with the given usage. */
export const says = (texts: ReadonlyArray<string>, usage?: { readonly input: number; readonly output: number }) =>
  Stream.fromIterable<ReplyPart>([
    ...texts.map((text): ReplyPart => ({ _tag: "text-delta", text })),
    {
      _tag: "end",
      reason: "completed",
      usage:
        usage === undefined ? undefined : { freshInput: usage.input, cacheRead: 0, cacheWrite: 0, output: usage.output }
    }
  ]).pipe(Stream.rechunk(1))

/** A scripted model behind every model id. */
export const modelsFrom = (model: ScriptedModel) =>
  ChatModels.of({
    resolve: () =>
      Effect.succeed({
        name: "scripted",
        stream: (request) =>
          Stream.suspend(() => {
            model.requests.push(request)
            return model.parts(request)
          })
      })
  })

/** Reads bytes as text without pages; bytes that begin with "broken" cannot be read. */
export const plainParser = DocumentParser.of({
  parse: ({ bytes }) => {
    const text = new TextDecoder().decode(bytes)
    return text.startsWith("broken")
      ? Effect.fail(new DocumentUnreadable({ reason: "The file is broken." }))
      : Effect.succeed({ text, pageStarts: null })
  }
})

/** All services over stores in memory and a scripted model; tiers and prices from `config`. */
export const world = (
  model: ScriptedModel,
  config: unknown = {},
  limiter: Layer.Layer<RateLimiter> = InMemoryRateLimiter.layer,
  parser: DocumentParser["Service"] = plainParser
) => {
  const ports = Layer.mergeAll(
    paymentProviderLayer(noPayments),
    noCrmLayer,
    Layer.succeed(Catalog, makeCatalog(config)),
    Layer.succeed(ChatModels, modelsFrom(model)),
    Layer.succeed(DocumentParser, parser),
    inMemoryStorageLayer
  ).pipe(Layer.merge(limiter))
  return parleyLayer.pipe(Layer.provideMerge(ports))
}

/** The minimum fixes the price of one reply of any length. */
export const flatPrice = (credits: number, monthlyCredits: number) => ({
  models: { "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 0, minimumCredits: credits } },
  tiers: { free: { monthlyCredits } }
})

/** Sends one user message and reads the reply to its end. */
export const ask = (userId: string, content: string, more: object = {}) =>
  Effect.scoped(
    Effect.gen(function* () {
      const chat = yield* ChatService
      const reply = yield* chat.send({ userId, request: { messages: [{ role: "user", content }], ...more } })
      return { reply, text: yield* Stream.mkString(reply.text) }
    })
  )

export const balance = (userId: string) => CreditService.use((credits) => credits.balance(userId))

export const transactions = (userId: string) =>
  Effect.map(
    CreditRecords.use((ledger) => ledger.history({ userId, limit: 100, offset: 0, type: undefined })),
    (page) => page.transactions
  )

/** Sweeps as a server would to which no heartbeat came through for an hour. */
export const sweepAway = Effect.gen(function* () {
  const { sweep } = yield* CreditUpkeep
  const clock = yield* Clock.Clock
  const later = () => clock.currentTimeMillisUnsafe() + 3_600_000
  const ahead = { ...clock, currentTimeMillisUnsafe: later, currentTimeMillis: Effect.sync(later) }
  return yield* Effect.provideService(sweep({ limit: 100 }), Clock.Clock, ahead)
})

/** Uploads texts of one person and waits until they are ready. */
export const reading = (userId: string, ...contents: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const documents = yield* DocumentService
    const working = yield* Effect.forkChild(
      Effect.scoped(
        Effect.andThen(
          JobWorker.use((worker) => worker.work),
          Effect.never
        )
      )
    )
    const ids: Array<string> = []
    for (const [place, content] of contents.entries()) {
      const bytes = new TextEncoder().encode(content)
      const { id } = yield* documents.upload({ userId, filename: `${place}.md`, bytes })
      while ((yield* documents.get(userId, id)).status !== "ready") yield* Effect.yieldNow
      ids.push(id)
    }
    yield* Fiber.interrupt(working)
    return ids
  })
