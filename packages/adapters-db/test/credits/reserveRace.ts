import { type Reserved } from "@parley/core/adapter"
import { ledgerIn, type TestedLedger } from "@parley/core/testing"
import { reservation, receiptDraft } from "@parley/core/testing"
import { Context, Deferred, Effect, Layer, type Scope } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database } from "../../src/database/Database.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { migratedPostgres, hasPostgres } from "../databases.ts"

const CALLERS = 50
const PRICE_AT_MOST = 40

/** Ledgers of `count` separate processes: each with connections and waiting calls of its own. */
const ledgersOver = (url: string, count: number, maxConnections: number) =>
  Effect.forEach(
    Array.from({ length: count }),
    () => {
      const layer = PgCreditLedgerLayer.pipe(Layer.provideMerge(PgDatabaseLayer({ url, maxConnections })))
      return Effect.map(Layer.build(layer), (context) => ({
        ledger: ledgerIn(context),
        databases: [Context.get(context, Database)]
      }))
    },
    { concurrency: "unbounded" }
  )

/** A process, and the databases that may have the rows of an account. */
interface Process {
  readonly ledger: TestedLedger
  readonly databases: ReadonlyArray<Database["Service"]>
}

type OpenProcesses = (
  count: number,
  maxConnections: number
) => Effect.Effect<ReadonlyArray<Process>, never, Scope.Scope>

const onOneDatabase: OpenProcesses = (count, maxConnections) =>
  Effect.flatMap(migratedPostgres, (url) => ledgersOver(url, count, maxConnections))

/**
 * The parameters of a round: a balance, and the price of each reply. Mostly it pays for fewer replies than are
 * requested.
 */
interface Stakes {
  readonly balance: number
  readonly price: number
}

const stakes: fc.Arbitrary<Stakes> = fc
  .record({ price: fc.integer({ min: 1, max: PRICE_AT_MOST }), paid: fc.nat(CALLERS + 5), rest: fc.nat(PRICE_AT_MOST) })
  .map(({ price, paid, rest }) => ({ price, balance: price * paid + (rest % price) }))

/** A balance that pays for exactly one reply comes in every fourth round. */
const roundsOf = (count: number): ReadonlyArray<Stakes> =>
  fc.sample(stakes, { numRuns: count, seed: 1 }).map(({ price, balance }, round) => ({
    price,
    balance: round % 4 === 0 ? price : balance
  }))

/** A reply of a caller who retries temporary failures, which occur if many processes write one account. */
const reservePatiently = ({ ledger }: Process, asked: ReturnType<typeof reservation>) =>
  Effect.retry(ledger.reserve(asked), { while: (error) => error._tag === "StorageFailed" && error.retryable })

/** All callers wait at a barrier and then reserve a reply each. */
const raceOnce = Effect.fnUntraced(function* (processes: ReadonlyArray<Process>, { balance, price }: Stakes) {
  const userId = `user-${crypto.randomUUID()}`
  const first = processes[0] as Process
  yield* first.ledger.open({ userId, tier: "free", allowance: balance })
  const barrier = yield* Deferred.make<void>()
  const calls = Array.from({ length: CALLERS }, (_, index) => {
    const process = processes[index % processes.length] as Process
    const asked = reservation(userId, `reply:${index}`, price)
    return Effect.andThen(Deferred.await(barrier), reservePatiently(process, asked))
  })
  const release = Effect.andThen(Effect.yieldNow, Deferred.succeed(barrier, undefined))
  const [answers] = yield* Effect.all([Effect.all(calls, { concurrency: "unbounded" }), release], {
    concurrency: "unbounded"
  })
  return { userId, held: answers.flatMap(({ _tag }: Reserved, index) => (_tag === "Held" ? [index] : [])) }
})

const readRows = (process: Process, userId: string) =>
  Effect.map(
    Effect.forEach(process.databases, ({ statement }) => statement(ROWS, [userId])),
    (rows) => rows.flat()
  )

const ROWS = `SELECT allowance, topup, debt, held_allowance, held_topup,
      (SELECT count(*) FROM parley.credit_holds h WHERE h.user_id = a.user_id) AS holds,
      (SELECT sum(amount)::bigint FROM parley.credit_transactions t WHERE t.user_id = a.user_id) AS sum
     FROM parley.credit_accounts a WHERE user_id = $1`

export const playRound = Effect.fnUntraced(function* (processes: ReadonlyArray<Process>, round: Stakes) {
  const { balance, price } = round
  const { userId, held } = yield* raceOnce(processes, round)
  const served = Math.min(CALLERS, Math.floor(balance / price))
  expect(held).toHaveLength(served)
  const first = processes[0] as Process
  const whole = { allowance: balance, topup: 0, debt: 0, held_topup: 0, sum: balance }
  expect(yield* readRows(first, userId)).toEqual([{ ...whole, held_allowance: served * price, holds: served }])
  const settle = (index: number) =>
    first.ledger.settle({ userId, key: `reply:${index}`, amount: price, draft: receiptDraft })
  yield* Effect.forEach(held, settle, { concurrency: "unbounded" })
  const left = balance - served * price
  expect(yield* readRows(first, userId)).toEqual([
    { ...whole, allowance: left, held_allowance: 0, holds: 0, sum: left }
  ])
})

/**
 * All bots of an owner ask at once for replies that a daily cap of `balance` credits pays for; the owner's balance is
 * large.
 */
export const playCapped = Effect.fnUntraced(function* (
  processes: ReadonlyArray<Process>,
  { balance: cap, price }: Stakes
) {
  const userId = `user-${crypto.randomUUID()}`
  const first = processes[0] as Process
  const allowance = CALLERS * PRICE_AT_MOST
  yield* first.ledger.open({ userId, tier: "free", allowance })
  const reserve = (index: number) => {
    const process = processes[index % processes.length] as Process
    const asked = reservation(userId, `reply:${index}`, price, { source: `bot:${index % 3}`, dailyCap: cap })
    return Effect.catchTag(reservePatiently(process, asked), "DailyCapReached", (refused) => Effect.succeed(refused))
  }
  const all = Effect.forEach(Array.from({ length: CALLERS }).keys(), reserve, { concurrency: "unbounded" })
  const served = Math.min(CALLERS, Math.floor(cap / price))
  const tags = (yield* all).map(({ _tag }) => _tag)
  expect(tags.filter((tag) => tag === "Held")).toHaveLength(served)
  expect(tags.filter((tag) => tag === "DailyCapReached")).toHaveLength(CALLERS - served)
  expect(yield* readRows(first, userId)).toMatchObject([{ allowance, held_allowance: served * price, holds: served }])
})

export const race = (
  rounds: number,
  processCount: number,
  maxConnections: number,
  play: typeof playRound | typeof playCapped = playRound,
  open: OpenProcesses = onOneDatabase
) =>
  Effect.gen(function* () {
    const processes = yield* open(processCount, maxConnections)
    yield* Effect.all(
      processes.flatMap(({ databases }) => databases.map(({ statement }) => statement("SELECT 1"))),
      { concurrency: "unbounded" }
    )
    yield* Effect.forEach(roundsOf(rounds), (round) => play(processes, round), { discard: true })
  }).pipe(Effect.scoped, Effect.runPromise)

/** Fifty callers at once for one balance: as many are served as it pays for, round after round. */
export const reserveRace = (rounds: number) =>
  describe.runIf(hasPostgres)(`${CALLERS} callers for one balance on Postgres, ${rounds} rounds`, () => {
    const timeout = 60_000 + rounds * 2_000

    it("as many are served as it pays for, in one process", { timeout }, () => race(rounds, 1, 10))

    it("as many are served as it pays for, across 25 processes", { timeout }, () => race(rounds, 25, 1))

    it("bots of one owner are served as far as the daily cap goes, in one process", { timeout }, () =>
      race(rounds, 1, 10, playCapped)
    )

    it("bots of one owner are served as far as the daily cap goes, across 25 processes", { timeout }, () =>
      race(rounds, 25, 1, playCapped)
    )
  })
