import { BillingUpkeep, type Forgotten } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

const make = Effect.gen(function* () {
  const { schema, statement } = yield* Database
  return BillingUpkeep.of({
    forget: ({ doneBefore, limit, unmatchedBefore }) =>
      statement<{ readonly answer: Forgotten }>(
        `SELECT ${schema}.forget_payments(
           to_timestamp($1::float8 / 1000), to_timestamp($2::float8 / 1000), $3) AS answer`,
        [doneBefore, unmatchedBefore, limit]
      ).pipe(
        Effect.map(([row]) => (row as { readonly answer: Forgotten }).answer),
        storing("BillingUpkeep.forget")
      )
  })
})

/** What is done with the payments that are stored in Postgres or PGlite. */
export const PgBillingUpkeepLayer: Layer.Layer<BillingUpkeep, never, Database> = Layer.effect(BillingUpkeep, make)
