import {
  accountOf,
  CreditLedger,
  type CreditPorts,
  CreditRecords,
  CreditUpkeep,
  type Operation,
  type Refusal,
  type StorageFailed
} from "@parley/core/adapter"
import { Context, Effect, Layer } from "effect"
import { Database, type DatabaseError } from "../database/Database.ts"
import type { Purpose } from "../database/limits.ts"
import { storing } from "../storage/storageFailed.ts"
import { commitBatches } from "./commitBatches.ts"
import { type AnyExit, commitOperations } from "./commitOperations.ts"
import { renewHolds } from "./renewHolds.ts"
import { DATABASE_NOW, makeLedgerTime } from "./LedgerClock.ts"
import { missingTiers } from "./upkeep/missingTiers.ts"
import { makeRecords } from "./PgCreditRecords.ts"
import { nextDue, resetAccounts } from "./upkeep/resetAccounts.ts"
import { retrySoon } from "./retrySoon.ts"
import { sweepHolds } from "./upkeep/sweepHolds.ts"
import { verifyAccounts } from "./upkeep/verifyAccounts.ts"

const make = Effect.gen(function* () {
  const database = yield* Database
  const time = yield* makeLedgerTime
  const { enqueue, recall } = commitBatches(database, time)

  /**
   * Inside a unit of work an operation is part of its transaction, else of a batch. A refusal becomes a failure outside
   * of the transaction, so that it does not undo a unit of work around it.
   */
  const run = <A, E extends Refusal>(operation: Operation<A, E>): Effect.Effect<A, E | StorageFailed> =>
    Effect.flatMap(database.inTransaction, (joins): Effect.Effect<unknown, Refusal | DatabaseError> => {
      if (!joins) return Effect.andThen(database.admit, enqueue(operation))
      return Effect.flatMap(commitOperations(database, time, [operation]), ([exit]) => exit as AnyExit)
    }).pipe(storing(`CreditLedger.${operation.name}`)) as Effect.Effect<A, E | StorageFailed>

  /** Work on many accounts, safe to repeat as a whole, that goes past the waiting calls. */
  const atOnce = <A, E>(
    name: string,
    work: (now: string | null) => Effect.Effect<A, E | DatabaseError>,
    purpose: Purpose = "maintenance"
  ): Effect.Effect<A, Exclude<E, DatabaseError> | StorageFailed> =>
    Effect.flatMap(time.given, work).pipe(retrySoon(), storing(`CreditLedger.${name}`, purpose))

  const askTime = Effect.map(
    database.statement<{ readonly now: number }>(`SELECT ${DATABASE_NOW} AS now`),
    ([row]) => ({ databaseNow: row?.now ?? 0 })
  )
  const tellTime = Effect.flatMap(time.learnFrom(askTime), ({ databaseNow }) => time.at(databaseNow))

  const ledger = CreditLedger.of({
    now: atOnce("now", () => tellTime, "interactive"),
    run,
    renew: (input) => atOnce("renew", (now) => renewHolds(database, input, now)),
    recall: (userId) => {
      const recalled = recall(userId)
      return recalled && accountOf(recalled)
    }
  })
  const upkeep = CreditUpkeep.of({
    sweep: (input) => atOnce("sweep", () => sweepHolds(database, time, input)),
    due: (input) => atOnce("due", () => nextDue(database, input)),
    reset: (input) => atOnce("reset", (now) => resetAccounts(database, input, now)),
    missingTiers: (known) => atOnce("missingTiers", () => missingTiers(database, known), "interactive"),
    verify: (input) => atOnce("verify", () => verifyAccounts(database, input), "audit")
  })
  return Context.make(CreditLedger, ledger).pipe(
    Context.add(CreditUpkeep, upkeep),
    Context.add(CreditRecords, makeRecords(database))
  )
})

/** The credit ledger in Postgres or PGlite: its three ports. */
export const PgCreditLedgerLayer: Layer.Layer<CreditPorts, never, Database> = Layer.effectContext(make)
