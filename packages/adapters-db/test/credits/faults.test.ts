import { assert, layer } from "@effect/vitest"
import { ledgerIn, type TestedLedger } from "@parley/core/testing"
import { type StorageFailed } from "@parley/core/adapter"
import { receiptDraft, reservation } from "@parley/core/testing"
import { Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { LedgerClock } from "../../src/credits/LedgerClock.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database, DatabaseError, type Row } from "../../src/database/Database.ts"
import { databases } from "../databases.ts"

type DatabaseService = Database["Service"]
/** The place of the cut: one of the calls of the database, before or after its commit. */
interface Cut {
  readonly at: number
  readonly side: "before" | "after"
}

const cutConnection = () => new DatabaseError({ cause: new Error("Connection terminated unexpectedly") })

/** A database whose connection is cut at the calls chosen by `isCut`; each call is counted. */
const failing = (database: DatabaseService, isCut: (call: number, side: Cut["side"]) => boolean): DatabaseService => {
  let calls = 0
  const withCut = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E | DatabaseError> =>
    Effect.suspend(() => {
      const call = calls++
      if (isCut(call, "before")) return Effect.fail(cutConnection())
      return isCut(call, "after") ? Effect.andThen(work, Effect.fail(cutConnection())) : work
    })
  return {
    ...database,
    statement: (text, params) => withCut(database.statement(text, params)),
    asService: (work) => withCut(database.asService(work) as Effect.Effect<never>)
  }
}

/** A database on which another client always changes the account between the first read and the first write. */
const contended = (database: DatabaseService): DatabaseService => {
  const missed = (params: ReadonlyArray<unknown> | undefined) =>
    (JSON.parse(String(params?.[0])) as ReadonlyArray<{ user_id: string }>).map((account) => account.user_id)
  const statement: DatabaseService["statement"] = <R extends Row>(text: string, params?: ReadonlyArray<unknown>) =>
    text.includes("write_credits")
      ? Effect.succeed([{ missed: missed(params) } as Row as R])
      : database.statement<R>(text, params)
  return { ...database, statement }
}

const ledgerOn = (database: DatabaseService) =>
  Effect.map(
    Layer.build(
      Layer.provide(
        PgCreditLedgerLayer,
        Layer.mergeAll(Layer.succeed(Database, database), Layer.succeed(LedgerClock, "caller"))
      )
    ),
    (context) => ledgerIn(context)
  )

/** Each operation of the ledger, with the state that it needs. */
const operations: Record<
  string,
  {
    before: (ledger: TestedLedger, userId: string) => Effect.Effect<unknown, unknown>
    run: (ledger: TestedLedger, userId: string) => Effect.Effect<unknown, unknown>
  }
> = {
  open: {
    before: () => Effect.void,
    run: (ledger, userId) => ledger.open({ userId, tier: "free", allowance: 100 })
  },
  reserve: {
    before: (ledger, userId) => ledger.open({ userId, tier: "free", allowance: 100 }),
    run: (ledger, userId) => ledger.reserve(reservation(userId, "reply:1", 60))
  },
  settle: {
    before: (ledger, userId) =>
      Effect.andThen(operations["reserve"]!.before(ledger, userId), operations["reserve"]!.run(ledger, userId)),
    run: (ledger, userId) => ledger.settle({ userId, key: "reply:1", amount: 130, draft: receiptDraft })
  },
  release: {
    before: (ledger, userId) => operations["settle"]!.before(ledger, userId),
    run: (ledger, userId) => ledger.release({ userId, key: "reply:1" })
  },
  grant: {
    before: (ledger, userId) =>
      Effect.andThen(operations["settle"]!.before(ledger, userId), operations["settle"]!.run(ledger, userId)),
    run: (ledger, userId) => ledger.grant({ userId, key: "topup:1", type: "topup", amount: 500 })
  }
}

const newUser = () => `user-${crypto.randomUUID()}`

/** An operation's answer and all that is stored after it, under a name of its own for the user. */
const outcome = Effect.fnUntraced(function* (name: string, sound: DatabaseService, tried: DatabaseService) {
  const userId = newUser()
  const ledger = yield* ledgerOn(sound)
  const operation = operations[name]!
  yield* operation.before(ledger, userId)
  const answer = yield* operation.run(yield* ledgerOn(tried), userId)
  const account = yield* ledger.account(userId)
  const history = yield* ledger.history({ userId, limit: 100, offset: 0, type: undefined })
  const { schema, statement } = sound
  const holds = yield* statement(`SELECT key, allowance, topup FROM ${schema}.credit_holds WHERE user_id = $1`, [
    userId
  ])
  return JSON.parse(JSON.stringify({ answer, account, history, holds }).replaceAll(userId, "user")) as unknown
})

for (const { name, layer: database } of databases) {
  layer(database, { excludeTestServices: true, timeout: "120 seconds" })(`lost connections on ${name}`, (it) => {
    const frozen = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(Effect.scoped(effect), TestClock.layer())

    for (const operation of Object.keys(operations)) {
      it.effect(`${operation} answers and leaves the same as if the connection had never been cut`, () =>
        Effect.gen(function* () {
          const sound = yield* Database
          const expected = yield* outcome(operation, sound, sound)
          for (const under of [sound, contended(sound)]) {
            assert.deepStrictEqual(yield* outcome(operation, sound, under), expected)
            for (const at of [0, 1, 2]) {
              for (const side of ["before", "after"] as const) {
                const tried = failing(under, (call, where) => call === at && where === side)
                assert.deepStrictEqual(yield* outcome(operation, sound, tried), expected, `${side} call ${at}`)
              }
            }
          }
        }).pipe(frozen)
      )
    }

    it.effect("while the database stays away calls fail, and the same call later does the work once", () =>
      Effect.gen(function* () {
        const sound = yield* Database
        let away = true
        const ledger = yield* ledgerOn(failing(sound, (_call, side) => away && side === "after"))
        const userId = newUser()
        const open = ledger.open({ userId, tier: "free", allowance: 100 })
        const opening = yield* Effect.forkChild(Effect.result(open))
        while (opening.pollUnsafe() === undefined) {
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          yield* TestClock.adjust("1 millis")
        }
        const failed = yield* Fiber.join(opening)
        assert.isTrue(Result.isFailure(failed))
        const { _tag, operation, retryable } = (failed as Result.Failure<never, StorageFailed>).failure
        assert.deepStrictEqual(
          { _tag, operation, retryable },
          { _tag: "StorageFailed", operation: "CreditLedger.open", retryable: true }
        )
        away = false
        assert.strictEqual((yield* open).allowance, 100)
        const { total } = yield* ledger.history({ userId, limit: 10, offset: 0, type: undefined })
        assert.strictEqual(total, 1)
      }).pipe(frozen)
    )

    it.effect("a database that never answers fails the calls in the end, and no call waits after it is back", () =>
      Effect.gen(function* () {
        const sound = yield* Database
        let silent = true
        const statement: DatabaseService["statement"] = (text, params) =>
          Effect.suspend(() => (silent ? Effect.never : sound.statement(text, params)))
        const ledger = yield* ledgerOn({ ...sound, statement })
        const open = ledger.open({ userId: newUser(), tier: "free", allowance: 100 })
        const calls = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(Effect.result(open)))
        for (let waited = 0; waited < 2; waited += 1) yield* TestClock.adjust("30 seconds")
        const answers = yield* Effect.forEach(calls, Fiber.join)
        assert.isTrue(answers.every((answer) => Result.isFailure(answer) && answer.failure.retryable))
        silent = false
        assert.strictEqual((yield* open).allowance, 100)
      }).pipe(frozen)
    )

    it.effect("a call the database refuses does not fail its neighbours in the batch", () =>
      Effect.gen(function* () {
        const ledger = yield* ledgerOn(yield* Database)
        const userId = newUser()
        yield* ledger.open({ userId, tier: "free", allowance: 0 })
        const keys = ["topup:1", "topup:2", "topup:\0", "topup:3", "topup:4"]
        const answers = yield* Effect.all(
          keys.map((key) => Effect.result(ledger.grant({ userId, key, type: "topup", amount: 10 }))),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(answers.map(Result.isSuccess), [true, true, false, true, true])
        assert.strictEqual((yield* ledger.account(userId)).topup, 40)
      }).pipe(frozen)
    )
  })
}
