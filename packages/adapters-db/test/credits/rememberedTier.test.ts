/** Replies of a process that remembers its payers, whose tiers others change, on every database. */
import { assert, layer } from "@effect/vitest"
import { ledgerIn } from "@parley/core/testing"
import { Catalog, ChatService, CreditService, inMemoryStorageLayer, parleyLayer, noCrmLayer } from "@parley/core/effect"
import {
  ChatModels,
  DocumentParser,
  closeAccount,
  ModelFailed,
  PersonalData,
  type ReplyPart,
  UnitOfWork,
  paymentProviderLayer
} from "@parley/core/adapter"
import { makeCatalog } from "@parley/core"
import { neutralProvider } from "@parley/core/testing"
import { Context, Effect, Layer, Stream } from "effect"
import { PgChatStoreLayer } from "../../src/chat/PgChatStore.ts"
import { PgRunningRepliesLayer } from "../../src/chat/PgRunningReplies.ts"
import { Database } from "../../src/database/Database.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { PgPersonalDataLayer } from "../../src/users/PgPersonalData.ts"
import { databases } from "../databases.ts"
import { countedLedger } from "./countedLedger.ts"

const catalog = makeCatalog({
  models: { "model-a-mini": { fallback: "model-a" } },
  tiers: {
    free: { monthlyCredits: 100_000, models: ["model-a-mini"], maxConcurrentReplies: 1 },
    pro: { monthlyCredits: 100_000, models: ["model-a", "model-a-mini"], maxConcurrentReplies: 100 }
  }
})

const replyParts: ReadonlyArray<ReplyPart> = [
  { _tag: "text-delta", text: "Yes." },
  { _tag: "end", reason: "completed", usage: { freshInput: 10, cacheRead: 0, cacheWrite: 0, output: 1 } }
]

/** A process: its chat, which notes the models that were asked, its ledger, and the statements this sent by itself. */
const process = Effect.gen(function* () {
  const { layer: ledgerLayer, sent } = yield* countedLedger
  const asked: Array<string> = []
  let sentUntilAsked = 0
  const failing = new Set<string>()
  const models = ChatModels.of({
    resolve: () =>
      Effect.succeed({
        name: "brief",
        stream: ({ model }) =>
          Stream.suspend(() => {
            asked.push(model.id)
            sentUntilAsked = sent()
            return failing.has(model.id)
              ? Stream.fail(new ModelFailed({ model: model.id, reason: "unavailable", retryable: true }))
              : Stream.fromIterable(replyParts)
          })
      })
  })
  const ports = Layer.mergeAll(
    ledgerLayer,
    PgChatStoreLayer,
    PgRunningRepliesLayer,
    paymentProviderLayer(neutralProvider()),
    noCrmLayer,
    Layer.succeed(Catalog, catalog),
    Layer.succeed(ChatModels, models),
    Layer.succeed(DocumentParser, DocumentParser.of({ parse: () => Effect.never }))
  )
  const context = yield* Layer.build(
    parleyLayer.pipe(Layer.provideMerge(ports), Layer.provideMerge(inMemoryStorageLayer))
  )
  const { send } = Context.get(context, ChatService)
  const asking = (userId: string, modelId?: string, idempotencyKey?: string) => {
    const more = modelId === undefined ? {} : { modelId }
    return send({ userId, idempotencyKey, request: { messages: [{ role: "user", content: "Well?" }], ...more } })
  }
  const ask = (userId: string, modelId?: string, idempotencyKey?: string) =>
    Effect.scoped(
      Effect.gen(function* () {
        const before = sent()
        const { messageId, text } = yield* asking(userId, modelId, idempotencyKey)
        const said = yield* Stream.mkString(text)
        return { messageId, said, statements: sentUntilAsked - before }
      })
    )
  const { changeTier } = Context.get(context, CreditService)
  const ledger = ledgerIn(context)
  return {
    ...{ ask, asked, asking, failing, ledger },
    changeTier: (userId: string, tier: string) => changeTier({ userId, tier, key: crypto.randomUUID() })
  }
})

/** Two processes, the first of which has just served a person. */
const setUp = Effect.gen(function* () {
  const { schema, statement } = yield* Database
  const [first, second] = [yield* process, yield* process]
  const userId = `user-${crypto.randomUUID()}`
  yield* first.ask(userId)
  yield* first.ask(userId)
  const byHand = (text: string) => statement(text.replaceAll("{{schema}}", schema), [userId])
  return { first, second, userId, changeTier: (tier: string) => second.changeTier(userId, tier), byHand }
})

/**
 * The same, for people whom the first process remembers on the tier `pro`, and whom another process moved to `free`.
 */
const demoted = Effect.gen(function* () {
  const rig = yield* setUp
  const { first, userId, changeTier } = rig
  yield* changeTier("pro")
  // Twice: the process reads the changes of others, and then remembers its own.
  yield* first.ask(userId)
  yield* first.ask(userId)
  assert.strictEqual(first.ledger.recall(userId)?.tier, "pro")
  first.asked.length = 0
  return { ...rig, demote: changeTier("free") }
})

for (const { name, layer: database } of databases) {
  layer(database, { excludeTestServices: true, timeout: "120 seconds" })(`a remembered payer on ${name}`, (it) => {
    it.effect("is not read: the credits are held in one statement, and then the model is asked", () =>
      Effect.gen(function* () {
        const { first, userId } = yield* setUp
        assert.deepInclude(yield* first.ask(userId), { statements: 1 })
      }).pipe(Effect.scoped)
    )

    it.effect("who got a better tier elsewhere is answered by its model at once", () =>
      Effect.gen(function* () {
        const { changeTier, first, userId } = yield* setUp
        yield* changeTier("pro")
        yield* first.ask(userId)
        yield* first.ask(userId, "model-a")
        assert.deepStrictEqual(first.asked.slice(2), ["model-a", "model-a"])
      }).pipe(Effect.scoped)
    )

    it.effect(
      "a person who asks for a model of a tier that another process set is not refused by the remembered tier",
      () =>
        Effect.gen(function* () {
          const { changeTier, first, userId } = yield* setUp
          yield* changeTier("pro")
          yield* first.ask(userId, "model-a")
          assert.deepStrictEqual(first.asked.slice(2), ["model-a"])
        }).pipe(Effect.scoped)
    )

    it.effect("a person who lost a tier elsewhere gets none of its models, and nothing is held", () =>
      Effect.gen(function* () {
        const { byHand, changeTier, first, userId } = yield* setUp
        yield* changeTier("pro")
        // Twice: the process reads the changes of others, and then remembers its own.
        yield* first.ask(userId, "model-a")
        yield* first.ask(userId, "model-a")
        assert.deepInclude(yield* first.ask(userId, "model-a"), { statements: 1 })
        yield* byHand("UPDATE {{schema}}.credit_accounts SET tier = 'free' WHERE user_id = $1")
        const refused = yield* Effect.flip(first.ask(userId, "model-a"))
        assert.deepInclude(refused, { _tag: "ModelNotAllowed", tier: "free" })
        assert.strictEqual(first.asked.length, 5)
        assert.deepInclude(yield* first.ledger.account(userId), { heldAllowance: 0, tier: "free" })
      }).pipe(Effect.scoped)
    )

    it.effect("a person who lost a tier elsewhere is answered by no fallback of it, and pays no price of it", () =>
      Effect.gen(function* () {
        const { demote, first, userId } = yield* demoted
        yield* demote
        first.failing.add("model-a-mini")
        assert.deepInclude(yield* Effect.flip(first.ask(userId, "model-a-mini")), { _tag: "ModelFailed" })
        assert.deepStrictEqual(first.asked, ["model-a-mini"])
        assert.deepInclude(yield* first.ledger.account(userId), { heldAllowance: 0, heldTopup: 0 })
      }).pipe(Effect.scoped)
    )

    it.effect("a person who lost a tier elsewhere has as many replies at once as the lower tier allows", () =>
      Effect.gen(function* () {
        const { demote, first, second, userId } = yield* demoted
        yield* demote
        yield* second.asking(userId)
        assert.deepInclude(yield* Effect.flip(first.ask(userId)), { _tag: "TooManyReplies", limit: 1, tier: "free" })
      }).pipe(Effect.scoped)
    )

    it.effect("who repeats a request after the tier was lost gets the same answer, and pays once", () =>
      Effect.gen(function* () {
        const { demote, first, userId } = yield* demoted
        const once = yield* first.ask(userId, "model-a-mini", "key")
        yield* demote
        const { allowance } = yield* first.ledger.account(userId)
        const again = yield* first.ask(userId, "model-a-mini", "key")
        assert.deepStrictEqual([again.messageId, again.said], [once.messageId, "Yes."])
        assert.deepStrictEqual(first.asked, ["model-a-mini"])
        assert.deepInclude(yield* first.ledger.account(userId), { allowance, heldAllowance: 0 })
      }).pipe(Effect.scoped)
    )

    it.effect(
      "who has no credits and lost the model is refused for the model, and for the credits only where they ask for one they may",
      () =>
        Effect.gen(function* () {
          const { demote, first, second, userId } = yield* demoted
          yield* demote
          const { allowance } = yield* second.ledger.account(userId)
          yield* second.ledger.adjust({ userId, key: "adjust:1", amount: -allowance, reason: "a test" })
          assert.deepInclude(yield* Effect.flip(first.ask(userId, "model-a")), {
            _tag: "ModelNotAllowed",
            tier: "free"
          })
          const short = yield* Effect.flip(first.ask(userId))
          assert.deepInclude(short, { _tag: "InsufficientCredits", available: 0 })
          assert.deepStrictEqual(first.asked, [])
        }).pipe(Effect.scoped)
    )

    it.effect("a person who was erased elsewhere, and opened again or not, has nothing of the remembered account", () =>
      Effect.gen(function* () {
        for (const isOpenedAnew of [true, false]) {
          const { first, second, userId } = yield* demoted
          yield* second.ledger.run(closeAccount({ userId, key: "closed:1", lowest: "free" }))
          const pseudonym = `erased:${crypto.randomUUID()}`
          yield* PersonalData.use((data) => data.erase({ userId, pseudonym })).pipe(Effect.provide(PgPersonalDataLayer))
          if (isOpenedAnew) yield* second.ask(userId)
          const refused = yield* Effect.flip(first.ask(userId, "model-a"))
          assert.deepInclude(refused, { _tag: "ModelNotAllowed", tier: "free" })
          yield* first.ask(userId)
          assert.deepStrictEqual(first.asked, ["model-a-mini"])
          assert.deepInclude(yield* first.ledger.account(userId), { tier: "free", heldAllowance: 0 })
          assert.deepInclude(yield* first.ledger.account(pseudonym), { heldAllowance: 0, allowance: 0 })
        }
      }).pipe(Effect.scoped)
    )

    it.effect(
      "what a unit of work did to the tier and undid is not remembered, and what it did not is seen by itself",
      () =>
        Effect.gen(function* () {
          const { first, userId } = yield* demoted
          const work = yield* UnitOfWork.pipe(Effect.provide(PgUnitOfWorkLayer))
          const undone = yield* Effect.flip(
            work.run(
              userId,
              Effect.gen(function* () {
                yield* first.changeTier(userId, "free")
                const refused = yield* Effect.flip(first.ask(userId, "model-a"))
                return yield* Effect.fail(refused)
              })
            )
          )
          assert.deepInclude(undone, { _tag: "ModelNotAllowed", tier: "free" })
          assert.deepStrictEqual(first.asked, [])
          yield* first.ask(userId, "model-a")
          assert.deepStrictEqual(first.asked, ["model-a"])
          assert.deepInclude(yield* first.ledger.account(userId), { tier: "pro", heldAllowance: 0 })
        }).pipe(Effect.scoped)
    )

    it.effect(
      "whose tier goes up and down elsewhere while they ask pays for each answer once, and for no refusal",
      () =>
        Effect.gen(function* () {
          const { changeTier, first, second, userId } = yield* setUp
          const flips = Effect.forEach(Array.from({ length: 12 }), (_, index) =>
            changeTier(index % 2 === 0 ? "pro" : "free")
          )
          const asks = Effect.forEach(
            Array.from({ length: 24 }, (_, index) => [index % 3 === 0 ? second : first, index % 2] as const),
            ([each, dear]) => Effect.result(each.ask(userId, dear === 1 ? "model-a" : "model-a-mini")),
            { concurrency: 6 }
          )
          const [, results] = yield* Effect.all([flips, asks], { concurrency: 2 })
          const tags = new Set(results.flatMap((each) => (each._tag === "Failure" ? [each.failure._tag] : [])))
          for (const tag of tags) assert.include(["ModelNotAllowed", "TooManyReplies"], tag)
          const answered = results.filter(({ _tag }) => _tag === "Success").length
          assert.strictEqual(first.asked.length + second.asked.length, answered + 2)
          const { transactions } = yield* first.ledger.history({ userId, limit: 100, offset: 0, type: "usage" })
          assert.strictEqual(transactions.length, answered + 2)
          assert.deepInclude(yield* first.ledger.account(userId), { heldAllowance: 0, tier: "free" })
        }).pipe(Effect.scoped)
    )
  })
}
