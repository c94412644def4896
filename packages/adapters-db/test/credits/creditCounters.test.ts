/** The counters of credits beside the rows of the ledger, when answers of commits are lost and holds are swept. */
import { assert, layer } from "@effect/vitest"
import { ChatModels, DocumentParser, instruments, paymentProviderLayer } from "@parley/core/adapter"
import { Catalog, HoldSweeper, inMemoryStorageLayer, noCrmLayer, parleyLayer, WorkMeter } from "@parley/core/effect"
import { makeCatalog } from "@parley/core"
import { neutralProvider } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database, DatabaseError, type Row } from "../../src/database/Database.ts"
import { databases } from "../databases.ts"

/** The answers of so many of the next commits are lost. */
const lost = { commits: 0 }

const losing = <A, E, R>(commit: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseError, R> =>
  Effect.flatMap(commit, (answer) => {
    if (lost.commits === 0) return Effect.succeed(answer)
    lost.commits -= 1
    return Effect.fail(new DatabaseError({ cause: new Error("Connection terminated unexpectedly") }))
  })

const losingDatabase = Effect.map(Database, (database): Database["Service"] => ({
  ...database,
  statement: <R extends Row>(text: string, params?: ReadonlyArray<unknown>) => {
    const statement = database.statement<R>(text, params)
    return text.includes("write_credits") ? losing(statement) : statement
  },
  asService: ((work) => losing(database.asService(work))) as Database["Service"]["asService"]
}))

const counted = () => {
  const { released, reserved, settled, swept } = instruments
  return { reserved: reserved.read(), settled: settled.read(), swept: swept.read(), released: released.read() }
}

/** The same by the rows of the ledger; charges of sweeps are those whose receipts say so. */
const stored = Effect.flatMap(Database, ({ schema, statement }) =>
  statement<{ [Name in keyof ReturnType<typeof counted>]: number } & { readonly open: number }>(
    `SELECT o.open, o.open + e.ended AS reserved, u.settled, u.swept, e.ended - u.settled - u.swept AS released FROM
      (SELECT coalesce(sum(allowance + topup), 0)::float8 AS open FROM ${schema}.credit_holds) o,
      (SELECT coalesce(sum(hold_allowance + hold_topup), 0)::float8 AS ended FROM ${schema}.credit_idempotency) e,
      (SELECT coalesce(sum(-amount) FILTER (WHERE receipt ->> 'ended' IS DISTINCT FROM 'expired'), 0)::float8 AS settled,
        coalesce(sum(-amount) FILTER (WHERE receipt ->> 'ended' = 'expired'), 0)::float8 AS swept
        FROM ${schema}.credit_transactions WHERE type = 'usage') u`
  )
).pipe(Effect.map(([row]) => row!))

/** Does the work, and returns by how much the counters and the rows rose. */
const rises = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const [before, rowsBefore] = [counted(), yield* stored]
    yield* work
    const [after, rows] = [counted(), yield* stored]
    const names = Object.keys(after) as ReadonlyArray<keyof typeof after>
    const rise = (one: Record<string, number>, other: Record<string, number>) =>
      Object.fromEntries(names.map((name) => [name, (other[name] ?? 0) - (one[name] ?? 0)]))
    return { counters: rise(before, after), rows: rise(rowsBefore, rows) }
  })

const pages = (quantity: number) => ({ lines: [{ label: "page", quantity, unitPrice: 1 }] })
const expire = (userId: string) =>
  Database.use(({ schema, statement }) =>
    statement(`UPDATE ${schema}.credit_holds SET expires_at = now() - interval '1 hour' WHERE user_id = $1`, [userId])
  )
const sweep = HoldSweeper.use((sweeper) => sweeper.sweep)
const ALL = { concurrency: "unbounded" } as const
const ROUNDS = 24
/** Calls again after a failure, as clients do. */
const again = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.retry(call, { times: 1 })

/** The services of a process whose ledger is on this database. */
const servicesOn = (ledgerDatabase: typeof losingDatabase) =>
  parleyLayer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.provide(PgCreditLedgerLayer, Layer.effect(Database, ledgerDatabase)),
        paymentProviderLayer(neutralProvider()),
        noCrmLayer,
        Layer.succeed(Catalog, makeCatalog(undefined)),
        Layer.succeed(ChatModels, ChatModels.of({ resolve: () => Effect.never })),
        Layer.succeed(DocumentParser, DocumentParser.of({ parse: () => Effect.never }))
      )
    ),
    Layer.provideMerge(inMemoryStorageLayer)
  )

const processOn = (ledgerDatabase: typeof losingDatabase) => Layer.build(Layer.fresh(servicesOn(ledgerDatabase)))

for (const { name, layer: database } of databases) {
  const services = Layer.provideMerge(servicesOn(losingDatabase), database)
  layer(services, { excludeTestServices: true, timeout: "120 seconds" })(`credits of a ledger on ${name}`, (it) => {
    const work = (key: string) => ({ userId: `user-${crypto.randomUUID()}`, key })
    const hold = (of: ReturnType<typeof work>) =>
      WorkMeter.use((meter) => meter.reserve({ ...of, amount: 10, source: "key:shop" }))
    const settle = (of: ReturnType<typeof work>, quantity: number) =>
      WorkMeter.use((meter) => meter.settle(of, pages(quantity)))
    const release = (of: ReturnType<typeof work>) => WorkMeter.use((meter) => meter.release(of))

    it.effect("are counted as they were stored, and repeated calls count nothing", () =>
      Effect.gen(function* () {
        const [one, other] = [work("one"), work("other")]
        const { counters, rows } = yield* rises(
          Effect.gen(function* () {
            for (const of of [one, one, other]) yield* hold(of)
            for (const of of [one, one]) yield* settle(of, 7)
            for (const of of [other, other]) yield* release(of)
          })
        )
        assert.deepStrictEqual(counters, rows)
        assert.deepStrictEqual(counters, { reserved: 20, settled: 7, swept: 0, released: 13 })
      })
    )

    for (const { answers, commits } of [
      { commits: 1, answers: "one answer" },
      { commits: 4, answers: "all answers of a call" }
    ]) {
      it.effect(`are counted once if the connection is lost with ${answers} after the commit`, () =>
        Effect.gen(function* () {
          const [one, other] = [work("one"), work("other")]
          const losingAnswers = <A, E, R>(call: Effect.Effect<A, E, R>) =>
            Effect.suspend(() => {
              lost.commits = commits
              return Effect.ensuring(
                again(Effect.tapError(call, () => Effect.sync(() => void (lost.commits = 0)))),
                Effect.sync(() => void (lost.commits = 0))
              )
            })
          yield* hold(work("accounts"))
          const { counters, rows } = yield* rises(
            Effect.gen(function* () {
              for (const of of [one, other]) yield* losingAnswers(hold(of))
              yield* losingAnswers(settle(one, 7))
              yield* losingAnswers(release(other))
            })
          )
          assert.deepStrictEqual(counters, rows)
          assert.deepStrictEqual(counters, { reserved: 20, settled: 7, swept: 0, released: 13 })
        })
      )
    }

    it.effect("of swept holds are counted, those that come back and those that a late report charges", () =>
      Effect.gen(function* () {
        const [silent, late, started] = [work("silent"), work("late"), work("started")]
        const { counters, rows } = yield* rises(
          Effect.gen(function* () {
            for (const of of [silent, late, started]) yield* hold(of)
            yield* WorkMeter.use((meter) => meter.renew(started, pages(4).lines))
            for (const of of [silent, late, started]) yield* expire(of.userId)
            yield* sweep
            yield* settle(late, 6)
            yield* settle(started, 9)
          })
        )
        assert.deepStrictEqual(counters, rows)
        assert.deepStrictEqual(counters, { reserved: 30 + 6 + 5, settled: 6 + 5, swept: 4, released: 26 })
      })
    )

    it.effect("are those of the rows after any race of processes for the same holds, with answers lost meanwhile", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* processOn(losingDatabase), yield* processOn(losingDatabase)]
        const sweeper = yield* processOn(Database)
        const userId = `user-${crypto.randomUUID()}`
        yield* Effect.provideContext(hold({ userId, key: "account" }), one)
        yield* Effect.provideContext(release({ userId, key: "account" }), one)
        const { counters, rows } = yield* rises(
          Effect.gen(function* () {
            for (let round = 0; round < ROUNDS; round += 1) {
              const of = { userId, key: `round-${round}` }
              lost.commits = round % 3
              yield* Effect.forEach([one, other], (process) => Effect.provideContext(again(hold(of)), process), ALL)
              if (round % 4 === 0) yield* expire(userId)
              lost.commits = round % 3
              const ends = [
                Effect.exit(Effect.provideContext(again(settle(of, 3)), one)),
                Effect.exit(Effect.provideContext(again(round % 2 === 0 ? settle(of, 4) : release(of)), other)),
                Effect.exit(Effect.provideContext(sweep, sweeper))
              ]
              yield* Effect.all(ends, ALL)
              lost.commits = 0
            }
          })
        )
        assert.deepStrictEqual(counters, rows)
        assert.isAbove(rows["settled"]!, 0)
      }).pipe(Effect.scoped)
    )
  })
}
