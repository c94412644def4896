import {
  AccountNotFound,
  accountOf,
  CreditLedger,
  type Operation,
  type Refusal,
  type StorageFailed
} from "@parley/core/adapter"
import { Effect, Exit, Layer, Result } from "effect"
import { Database, type DatabaseError, type Row } from "../database/Database.ts"
import type { Purpose } from "../database/limits.ts"
import { storing } from "../storage/storageFailed.ts"
import { commitBatches } from "./commitBatches.ts"
import { commitOperations } from "./commitOperations.ts"
import { renewHolds } from "./renewHolds.ts"
import { DATABASE_NOW, makeLedgerTime } from "./LedgerClock.ts"
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  toAccount,
  toTransaction,
  TRANSACTION_COLUMNS,
  type TransactionRow
} from "./loadAccounts.ts"
import { missingTiers } from "./upkeep/missingTiers.ts"
import { readHistory, readUsage } from "./readLedger.ts"
import { nextDue, resetAccounts } from "./upkeep/resetAccounts.ts"
import { retrySoon } from "./retrySoon.ts"
import { sweepHolds } from "./upkeep/sweepHolds.ts"
import { verifyAccounts } from "./upkeep/verifyAccounts.ts"

const exitOf = (answer: Result.Result<unknown, Refusal>): Exit.Exit<unknown, Refusal> =>
  Result.isSuccess(answer) ? Exit.succeed(answer.success) : Exit.fail(answer.failure)

const make = Effect.gen(function* () {
  const database = yield* Database
  const { schema } = database
  const time = yield* makeLedgerTime
  const { enqueue, recall } = commitBatches(database, time)

  /**
   * Inside a unit of work an operation is part of its transaction, else of a batch. A refusal becomes a failure outside
   * of the transaction, so that it does not undo a unit of work around it.
   */
  const run = <A, E extends Refusal>(operation: Operation<A, E>): Effect.Effect<A, E | StorageFailed> =>
    Effect.flatMap(database.inTransaction, (joins): Effect.Effect<unknown, Refusal | DatabaseError> => {
      if (!joins) return Effect.andThen(database.admit, enqueue(operation))
      return Effect.flatMap(commitOperations(database, time, [operation]), ([answer]) =>
        exitOf(answer as Result.Result<unknown, Refusal>)
      )
    }).pipe(storing(`CreditLedger.${operation.name}`)) as Effect.Effect<A, E | StorageFailed>

  /** Work on many accounts, safe to repeat as a whole, that goes past the waiting calls. */
  const atOnce = <A, E>(
    name: string,
    work: (now: string | null) => Effect.Effect<A, E | DatabaseError>,
    purpose: Purpose = "maintenance"
  ): Effect.Effect<A, Exclude<E, DatabaseError> | StorageFailed> =>
    Effect.flatMap(time.given, work).pipe(retrySoon(), storing(`CreditLedger.${name}`, purpose))

  const tellTime = time
    .learnFrom(
      Effect.map(
        database.statement<{ readonly now: number }>(`SELECT ${DATABASE_NOW} AS now`),
        ([row]) => row?.now ?? 0
      ),
      (databaseNow) => databaseNow
    )
    .pipe(Effect.flatMap(time.at))

  const answersText = `SELECT k.key AS answered_key, ${TRANSACTION_COLUMNS} FROM ${schema}.credit_idempotency k
    JOIN ${schema}.credit_transactions t ON t.user_id = k.user_id AND t.number = k.number
    WHERE k.user_id = $1 AND k.key = ANY($2::text[])`
  const answersTo = (userId: string, keys: ReadonlyArray<string>) =>
    Effect.map(
      database.statement<TransactionRow & Row & { readonly answered_key: string }>(answersText, [userId, keys]),
      (rows) => new Map(rows.map((row) => [row.answered_key, toTransaction(row)]))
    )

  return CreditLedger.of({
    now: atOnce("now", () => tellTime, "interactive"),
    run,
    renew: (input) => atOnce("renew", (now) => renewHolds(database, input, now)),
    sweep: (input) => atOnce("sweep", () => sweepHolds(database, time, input)),
    due: (input) => atOnce("due", () => nextDue(database, input)),
    reset: (input) => atOnce("reset", (now) => resetAccounts(database, input, now)),
    missingTiers: (known) => atOnce("missingTiers", () => missingTiers(database, known), "interactive"),
    verify: (input) => atOnce("verify", () => verifyAccounts(database, input), "audit"),
    recall: (userId) => {
      const recalled = recall(userId)
      return recalled && accountOf(recalled)
    },
    account: Effect.fnUntraced(function* (userId) {
      const text = `SELECT ${ACCOUNT_COLUMNS} FROM ${schema}.credit_accounts a WHERE a.user_id = $1`
      const [row] = yield* database.statement<AccountRow>(text, [userId])
      if (row === undefined) return yield* new AccountNotFound({ userId })
      return accountOf(toAccount(row))
    }, storing("CreditLedger.account")),
    transaction: (userId, key) =>
      Effect.map(answersTo(userId, [key]), (found) => found.get(key)).pipe(storing("CreditLedger.transaction")),
    transactions: (userId, keys) => answersTo(userId, keys).pipe(storing("CreditLedger.transactions")),
    usage: (input) => readUsage(database, input).pipe(storing("CreditLedger.usage")),
    history: (input) =>
      Effect.flatMap(readHistory(database, input), Effect.fromResult).pipe(storing("CreditLedger.history"))
  })
})

/** The credit ledger in Postgres or PGlite. */
export const PgCreditLedgerLayer: Layer.Layer<CreditLedger, never, Database> = Layer.effect(CreditLedger, make)
