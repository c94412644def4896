import { type Spending, SpendLimiter } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

interface SpendingRow {
  readonly [column: string]: unknown
  readonly granted: number
  readonly place: number | null
  readonly on_day: number
  readonly remaining_ms: number
}

const spendingOf = ({ granted, on_day, place, remaining_ms }: SpendingRow): Spending =>
  place === null
    ? { _tag: "Granted", amount: granted, day: on_day }
    : { _tag: "Refused", place: place - 1, remainingMs: remaining_ms }

const make = Effect.map(Database, ({ schema, statement }) =>
  SpendLimiter.of({
    spend: ({ amount, limits, minimumAmount }) =>
      Effect.map(
        statement<SpendingRow>(
          `SELECT granted, place, on_day, remaining_ms FROM ${schema}.spend_credits($1, $2, $3, $4, $5, $6)`,
          [
            limits.map(({ subject }) => subject),
            limits.map(({ name }) => name),
            limits.map(({ credits }) => credits),
            limits.map(({ sparesFirst }) => sparesFirst === true),
            amount,
            minimumAmount
          ]
        ),
        (rows) => spendingOf(rows[0] as SpendingRow)
      ).pipe(storing("SpendLimiter.spend")),
    giveBack: ({ amount, day, limits }) =>
      Effect.asVoid(
        statement(`SELECT ${schema}.give_back_credits($1, $2, $3, $4)`, [
          limits.map(({ subject }) => subject),
          limits.map(({ name }) => name),
          day,
          amount
        ])
      ).pipe(storing("SpendLimiter.giveBack", "maintenance")),
    sweep: ({ limit }) =>
      Effect.map(statement(`SELECT ${schema}.sweep_spend_days($1) AS swept`, [limit]), ([row]) =>
        Number(row?.["swept"] ?? 0)
      ).pipe(storing("SpendLimiter.sweep", "maintenance"))
  })
)

/**
 * A limiter of spending in Postgres or PGlite, by the database's clock, shared by all server processes of this
 * database.
 */
export const PgSpendLimiterLayer: Layer.Layer<SpendLimiter, never, Database> = Layer.effect(SpendLimiter, make)
