/** A reply whose hold another server sweeps while it is being written, on every database. */
import { assert, layer } from "@effect/vitest"
import { testedLedger } from "@parley/core/testing"
import { Catalog, ChatService, HoldTtl, inMemoryStorageLayer, parleyLayer, noCrmLayer } from "@parley/core/effect"
import { ChatModels, DocumentParser, type ReplyPart, paymentProviderLayer } from "@parley/core/adapter"
import { makeCatalog } from "@parley/core"
import { neutralProvider } from "@parley/core/testing"
import { Effect, Fiber, Layer, Schedule, Stream } from "effect"
import { PgChatStoreLayer } from "../../src/chat/PgChatStore.ts"
import { PgRunningRepliesLayer } from "../../src/chat/PgRunningReplies.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database } from "../../src/database/Database.ts"
import { databases } from "../databases.ts"

/** A token costs a credit; the input nothing. */
const catalog = makeCatalog({
  models: {
    "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 1_000, minimumCredits: 1, maxOutputTokens: 100_000 }
  },
  tiers: { free: { monthlyCredits: 1_000_000 } }
})

/** Writes words until it is stopped, and counts one token each. */
class Talker {
  words = 0
  stopped = false
  readonly models = ChatModels.of({
    resolve: () =>
      Effect.succeed({
        name: "talker",
        stream: () =>
          Stream.concat(
            Stream.fromEffectSchedule(
              Effect.sync((): ReplyPart => {
                this.words += 1
                return { _tag: "text-delta", text: "word " }
              }),
              Schedule.spaced("20 millis")
            ).pipe(Stream.takeUntil(() => this.stopped)),
            Stream.suspend(() =>
              Stream.make<Array<ReplyPart>>({
                _tag: "end",
                reason: "completed",
                usage: { freshInput: 10, cacheRead: 0, cacheWrite: 0, output: this.words }
              })
            )
          )
      })
  })
}

/** Asks again until the answer is not undefined. */
const until = <A, E, R>(ask: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(ask, (answer) =>
    answer === undefined ? Effect.andThen(Effect.sleep("10 millis"), until(ask)) : Effect.succeed(answer)
  )

for (const { name, layer: database } of databases) {
  const talker = new Talker()
  const services = parleyLayer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        PgCreditLedgerLayer,
        PgChatStoreLayer,
        PgRunningRepliesLayer,
        paymentProviderLayer(neutralProvider()),
        noCrmLayer,
        Layer.succeed(Catalog, catalog),
        Layer.succeed(ChatModels, talker.models),
        Layer.succeed(DocumentParser, DocumentParser.of({ parse: () => Effect.never }))
      )
    ),
    Layer.provideMerge(inMemoryStorageLayer),
    Layer.provideMerge(Layer.mergeAll(database, Layer.succeed(HoldTtl, 1_500)))
  )
  layer(services, { excludeTestServices: true, timeout: "120 seconds" })(`a hold that is swept, on ${name}`, (it) => {
    it.effect("is replaced by the next heartbeat, and the reply costs in all what it costs", () =>
      Effect.gen(function* () {
        const ledger = yield* testedLedger
        const { schema, statement } = yield* Database
        const userId = `user-${crypto.randomUUID()}`
        const reply = yield* Effect.forkChild(
          Effect.scoped(
            Effect.gen(function* () {
              const { send } = yield* ChatService
              const { text } = yield* send({ userId, request: { messages: [{ role: "user", content: "Go on." }] } })
              return yield* Stream.mkString(text)
            })
          )
        )
        const holds = statement<{ key: string; output_tokens: number }>(
          `SELECT key, output_tokens FROM ${schema}.credit_holds WHERE user_id = $1`,
          [userId]
        )
        yield* until(Effect.map(holds, ([hold]) => (hold && hold.output_tokens > 0 ? hold : undefined)))
        const expire = statement(
          `UPDATE ${schema}.credit_holds SET expires_at = now() - interval '1 hour' WHERE user_id = $1`,
          [userId]
        )
        yield* until(
          Effect.map(Effect.andThen(expire, ledger.sweep({ limit: 10 })), ({ charged }) => charged || undefined)
        )
        const rest = yield* until(Effect.map(holds, (all) => all.find(({ key }) => key.endsWith(":rest:1"))))
        talker.stopped = true
        const text = yield* Fiber.join(reply)
        const { transactions } = yield* ledger.history({ userId, limit: 10, offset: 0, type: "usage" })
        assert.strictEqual(transactions.length, 2)
        assert.strictEqual(transactions[0]?.reference, rest.key)
        assert.strictEqual(transactions[1]?.receipt?.ended, "expired")
        const words = text.split(" ").length - 1
        assert.strictEqual(words, talker.words)
        assert.strictEqual(
          transactions.reduce((sum, { amount }) => sum - amount, 0),
          words
        )
        assert.deepInclude(yield* ledger.account(userId), { heldAllowance: 0, allowance: 1_000_000 - words })
        const { differences } = yield* ledger.verify({ limit: 10_000, after: undefined })
        assert.deepStrictEqual(differences, [])
      })
    )
  })
}
