/** Replies of a process that remembers its payers, whose tiers others change, on every database. */
import { assert, layer } from "@effect/vitest"
import {
  Catalog,
  ChatModels,
  ChatService,
  CreditLedger,
  CreditService,
  DocumentParser,
  inMemoryStorageLayer,
  makeCatalog,
  parleyLayer,
  noCrmLayer,
  PaymentGateway,
  type ReplyPart
} from "@parley/core/adapter"
import { neutralGateway, withOperations } from "@parley/core/testing"
import { Context, Effect, Layer, Stream } from "effect"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database, type Row } from "../../src/database/Database.ts"
import { databases } from "../databases.ts"

const catalog = makeCatalog({
  tiers: {
    free: { monthlyCredits: 100_000, models: ["model-a-mini"] },
    pro: { monthlyCredits: 100_000, models: ["model-a", "model-a-mini"] }
  }
})

const replyParts: ReadonlyArray<ReplyPart> = [
  { _tag: "text-delta", text: "Yes." },
  { _tag: "end", reason: "completed", usage: { freshInput: 10, cacheRead: 0, cacheWrite: 0, output: 1 } }
]

/** A process: its chat, which notes the models that were asked, its ledger, and the statements this sent by itself. */
const process = Effect.gen(function* () {
  const database = yield* Database
  const asked: Array<string> = []
  let sent = 0
  const counting: Database["Service"] = {
    ...database,
    statement: <R extends Row>(text: string, params?: ReadonlyArray<unknown>) =>
      Effect.suspend(() => {
        sent += 1
        return database.statement<R>(text, params)
      })
  }
  let sentUntilAsked = 0
  const models = ChatModels.of({
    resolve: () =>
      Effect.succeed({
        name: "brief",
        stream: ({ model }) =>
          Stream.suspend(() => {
            asked.push(model.id)
            sentUntilAsked = sent
            return Stream.fromIterable(replyParts)
          })
      })
  })
  const ports = Layer.mergeAll(
    PgCreditLedgerLayer.pipe(Layer.provide(Layer.succeed(Database, counting))),
    Layer.succeed(PaymentGateway, neutralGateway()),
    noCrmLayer,
    Layer.succeed(Catalog, catalog),
    Layer.succeed(ChatModels, models),
    Layer.succeed(DocumentParser, DocumentParser.of({ parse: () => Effect.never }))
  )
  const context = yield* Layer.build(
    parleyLayer.pipe(Layer.provideMerge(ports), Layer.provideMerge(inMemoryStorageLayer))
  )
  const { send } = Context.get(context, ChatService)
  const ask = (userId: string, modelId?: string) => {
    const more = modelId === undefined ? {} : { modelId }
    return Effect.scoped(
      Effect.gen(function* () {
        const before = sent
        const { text } = yield* send({ userId, request: { messages: [{ role: "user", content: "Well?" }], ...more } })
        yield* Stream.mkString(text)
        return { statements: sentUntilAsked - before }
      })
    )
  }
  const { changeTier } = Context.get(context, CreditService)
  const ledger = withOperations(Context.get(context, CreditLedger))
  return { ask, asked, ledger, changeTier: (userId: string, tier: string) => changeTier({ userId, tier, key: tier }) }
})

/** Two processes, the first of which has just served a person. */
const setUp = Effect.gen(function* () {
  const { schema, statement } = yield* Database
  const [first, second] = [yield* process, yield* process]
  const userId = `user-${crypto.randomUUID()}`
  yield* first.ask(userId)
  yield* first.ask(userId)
  const byHand = (text: string) => statement(text.replaceAll("{{schema}}", schema), [userId])
  return { first, userId, changeTier: (tier: string) => second.changeTier(userId, tier), byHand }
})

for (const { name, layer: database } of databases) {
  layer(database, { excludeTestServices: true, timeout: "120 seconds" })(`a remembered payer on ${name}`, (it) => {
    it.effect("is not read: the credits are held in one statement, and then the model is asked", () =>
      Effect.gen(function* () {
        const { first, userId } = yield* setUp
        assert.deepStrictEqual(yield* first.ask(userId), { statements: 1 })
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

    it.effect("who asks for a model of a tier that was got elsewhere is not refused by what is remembered", () =>
      Effect.gen(function* () {
        const { changeTier, first, userId } = yield* setUp
        yield* changeTier("pro")
        yield* first.ask(userId, "model-a")
        assert.deepStrictEqual(first.asked.slice(2), ["model-a"])
      }).pipe(Effect.scoped)
    )

    it.effect("who lost a tier behind its back gets none of its models, and nothing is held", () =>
      Effect.gen(function* () {
        const { byHand, changeTier, first, userId } = yield* setUp
        yield* changeTier("pro")
        // Twice: the process reads what others wrote, and remembers again what it wrote itself.
        yield* first.ask(userId, "model-a")
        yield* first.ask(userId, "model-a")
        assert.deepStrictEqual(yield* first.ask(userId, "model-a"), { statements: 1 })
        yield* byHand("UPDATE {{schema}}.credit_accounts SET tier = 'free' WHERE user_id = $1")
        const refused = yield* Effect.flip(first.ask(userId, "model-a"))
        assert.deepInclude(refused, { _tag: "ModelNotAllowed", tier: "free" })
        assert.strictEqual(first.asked.length, 5)
        assert.deepInclude(yield* first.ledger.account(userId), { heldAllowance: 0, tier: "free" })
      }).pipe(Effect.scoped)
    )
  })
}
