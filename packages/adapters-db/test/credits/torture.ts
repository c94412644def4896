import { type StorageFailed } from "@parley/core/adapter"
import { ledgerIn, type TestedLedger } from "@parley/core/testing"
import { Context, Effect, Layer, Result, type Scope } from "effect"
import { LedgerClock } from "../../src/credits/LedgerClock.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database, type DatabaseError } from "../../src/database/Database.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { administer } from "../administer.ts"
import { migratedPostgres } from "../databases.ts"
import { type Fault, FaultyWire } from "../faults/FaultyWire.ts"
import { at, type Scenario } from "./tortureScenarios.ts"

/**
 * The ways in which an operation reaches the database: free, from a process that has not seen the account; from one
 * that wrote it last and remembers it; after a rival's write, so that it is decided again under locks, even if the
 * process remembers the earlier state; or as a part of a unit of work.
 */
export type Way = "free" | "remembered" | "beaten by a rival" | "remembered, beaten by a rival" | "in a unit of work"

/** The ways that an operation can come; between them, those that are not `all` send every request there is. */
export const waysOf = ({ alone, locks }: Scenario, all: boolean): ReadonlyArray<Way> => {
  if (alone === true) return ["free"]
  const ways: ReadonlyArray<Way> = ["free", "in a unit of work"]
  if (locks === true) return ways
  const contested: ReadonlyArray<Way> = [...ways, "remembered, beaten by a rival"]
  return all ? [...contested, "remembered", "beaten by a rival"] : contested
}

/** A process, and the database with the rows of its accounts. */
export interface Process {
  readonly ledger: TestedLedger
  readonly database: Database["Service"]
  readonly inUnit: <A, E>(
    userId: string,
    work: Effect.Effect<A, E>
  ) => Effect.Effect<A, E | DatabaseError | StorageFailed>
}

/** Opens a process whose accounts are in the database at an address. */
export type OpenProcess = (url: string) => Effect.Effect<Process, never, Scope.Scope>

/** The result of an operation: its answer (repeated or not), the stored rows of its account, and its requests. */
export interface Outcome {
  readonly answer: unknown
  readonly stored: unknown
  readonly requests: ReadonlyArray<string>
}

const onDatabase: OpenProcess = (url) =>
  Effect.map(
    Layer.build(
      PgCreditLedgerLayer.pipe(
        Layer.provide(Layer.succeed(LedgerClock, "caller")),
        Layer.provideMerge(PgDatabaseLayer({ url, maxConnections: 4 }))
      )
    ),
    (context) => {
      const database = Context.get(context, Database)
      return { ledger: ledgerIn(context), database, inUnit: (_userId, work) => database.unitOfWork(work) }
    }
  )

/** A database of our own, its ledger, and the same ledger by way of a wire on which everything can go wrong. */
export const openRack = Effect.fnUntraced(function* (processOn: OpenProcess = onDatabase) {
  const url = yield* migratedPostgres
  yield* Effect.promise(() => administer("SHOW data_directory"))
  const wire = yield* Effect.acquireRelease(
    Effect.promise(() => FaultyWire.open(url)),
    (wire) => Effect.promise(() => wire[Symbol.asyncDispose]())
  )
  const sound = yield* processOn(url)
  const tried = yield* processOn(wire.through(url))
  const [tables] = yield* Effect.map(
    sound.database.statement<{ names: ReadonlyArray<string> }>(
      `SELECT array_agg(table_name::text ORDER BY table_name) AS names FROM information_schema.columns
       WHERE table_schema = 'parley' AND table_name LIKE 'credit%' AND column_name = 'user_id'`
    ),
    (rows) => [rows[0]?.names ?? []]
  )
  return { wire, sound, tried, tables: tables ?? [] }
})

export type Rack = Effect.Success<ReturnType<typeof openRack>>

/** All rows of an account, but for what names the call that opened a hold, digests of it, and the order in which holds ended. */
const storedOf = ({ sound, tables }: Rack, userId: string) =>
  Effect.forEach(tables, (table) =>
    Effect.map(
      sound.database.statement<{ row: unknown }>(
        `SELECT to_jsonb(t) - 'reservation_id' - 'user_id' - 'seal' - 'digest' - 'hold_number' - 'opened_at' AS row FROM parley.${table} t WHERE user_id = $1 ORDER BY to_jsonb(t)::text`,
        [userId]
      ),
      (rows) => [table, rows.map(({ row }) => row)]
    )
  )

/** The differences between the rows of an account; nothing if there are none. */
const faultsOf = ({ sound }: Rack, userId: string) =>
  sound.database.statement(
    `SELECT a.user_id FROM parley.credit_accounts a
     LEFT JOIN LATERAL (
       SELECT coalesce(sum(amount), 0) AS amount, coalesce(sum(allowance_amount), 0) AS allowance,
         coalesce(sum(topup_amount), 0) AS topup, count(*) AS rows, coalesce(max(number), 0) AS newest
       FROM parley.credit_transactions t WHERE t.user_id = a.user_id) t ON true
     LEFT JOIN LATERAL (
       SELECT coalesce(sum(allowance), 0) AS allowance, coalesce(sum(topup), 0) AS topup
       FROM parley.credit_holds h WHERE h.user_id = a.user_id) h ON true
     WHERE a.user_id = $1 AND NOT (t.amount = a.allowance + a.topup - a.debt AND t.allowance = a.allowance
       AND t.topup = a.topup AND t.rows = a.transaction_count AND t.newest = a.transaction_count AND h.allowance = a.held_allowance
       AND h.topup = a.held_topup)`,
    [userId]
  )

const isWrite = (text: string): boolean => text.includes(".write_credits(")

/** Another client writes the account, once, just before its first write: only its version, by default. */
const rivalOf = ({ sound }: Rack, { rival }: Scenario, userId: string) => {
  const bump = "UPDATE parley.credit_accounts SET version = version + 1 WHERE user_id = $1"
  let done = false
  return async (text: string): Promise<void> => {
    if (done || !isWrite(text)) return
    done = true
    const work = rival?.(sound.ledger, userId) ?? sound.database.statement(bump, [userId])
    await Effect.runPromise(at(Effect.orDie(work)))
  }
}

const CALLS = 6

/** Asks until the database was there for it; what refuses for good is an answer. */
const insist = (call: Effect.Effect<unknown, { readonly _tag: string }>): Effect.Effect<unknown> =>
  Effect.gen(function* () {
    for (let calls = 1; ; calls += 1) {
      const result = yield* Effect.result(call)
      if (Result.isSuccess(result)) return result.success
      const failure = result.failure as StorageFailed
      if (failure._tag !== "StorageFailed" && failure._tag !== "DatabaseError") return failure._tag
      if (calls === CALLS) return yield* Effect.die(new Error(`It failed ${CALLS} times.`, { cause: failure }))
    }
  })

/** Runs one operation with these faults on the way, retries it by the same key if it failed, and returns the result. */
export const torture = Effect.fnUntraced(function* (
  rack: Rack,
  scenario: Scenario,
  way: Way,
  faults: ReadonlyMap<number, Fault>
): Effect.fn.Return<Outcome> {
  const userId = `user-${crypto.randomUUID()}`
  const { before, run, after, laterMs } = scenario
  const { wire, sound, tried } = rack
  const remembers = way.startsWith("remembered")
  yield* at(Effect.orDie(before(remembers ? tried.ledger : sound.ledger, userId)))
  wire.start(faults, way.endsWith("rival") ? rivalOf(rack, scenario, userId) : undefined)
  const once = run(tried.ledger, userId)
  const call = way === "in a unit of work" ? tried.inUnit(userId, once) : once
  const answer = yield* at(insist(call), laterMs)
  yield* Effect.promise(() => wire.settled())
  const { requests } = wire
  wire.start()
  if (after !== undefined) yield* at(Effect.orDie(after(sound.ledger, userId)), laterMs)
  const wrong = yield* Effect.orDie(faultsOf(rack, userId))
  if (wrong.length > 0) return yield* Effect.die(new Error("The rows of the account do not add up."))
  const stored = yield* Effect.orDie(storedOf(rack, userId))
  const neutral = (value: unknown): unknown =>
    JSON.parse(
      (JSON.stringify(value) ?? "null").replaceAll(userId, "user").replace('"replayed":true', '"replayed":false')
    )
  return { answer: neutral(answer), stored: neutral(stored), requests }
})
